output "company_id" {
  description = "The company's id at the service."
  value       = einvoice_company.this.id
}

output "federal_tax_number" {
  description = "The company's tax number: the key of company_keys, and the value of issuer."
  value       = einvoice_company.this.federal_tax_number
}

output "api_key" {
  description = "The company's key, with key_handover = \"output\"; otherwise null."
  value       = var.key_handover == "output" ? einvoice_company.this.api_key : null
  sensitive   = true
}

output "environments" {
  description = "Where the company issues, by model."
  value = {
    product  = data.einvoice_company_settings.this.product_invoice.environment_type
    consumer = data.einvoice_company_settings.this.consumer_invoice.environment_type
    service  = data.einvoice_company_settings.this.service_invoice.environment_type
  }
}

output "certificate_expires_at" {
  description = "When the certificate ends; null without one."
  value       = one(einvoice_company_certificate.this[*].expires_at)
}
