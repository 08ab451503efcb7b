output "branch" {
  description = "The branch."
  value       = "${einvoice_company.branch.legal_name} (${einvoice_company.branch.federal_tax_number})"
}

output "branch_key" {
  description = "The key that issues the branch's invoices. The service shows it only once."
  value       = einvoice_company.branch.api_key
  sensitive   = true
}

output "service_invoice" {
  description = "The service invoice (NFS-e)."
  value = {
    number   = einvoice_invoice_issuance.advice.number
    status   = einvoice_invoice_issuance.advice.status
    protocol = einvoice_invoice_issuance.advice.details.authorization.protocol
  }
}

output "consumer_invoice" {
  description = "The consumer invoice (NFC-e)."
  value = {
    number     = einvoice_invoice_issuance.sale.number
    status     = einvoice_invoice_issuance.sale.status
    access_key = einvoice_invoice_issuance.sale.access_key
  }
}

output "next_numbers" {
  description = "The numbers that come next."
  value = {
    service  = data.einvoice_company_settings.branch.service_invoice.next_number
    consumer = data.einvoice_company_settings.branch.consumer_invoice.next_number
  }
}

output "authorized_total" {
  description = "What the branch's authorized service invoices add up to, in reais."
  value       = sum(concat([0], data.einvoice_invoices.service.invoices[*].amount))
}

output "customer_city" {
  description = "Resolved by the service from the code alone."
  value       = "${einvoice_customer.cafe.address.city.name}/${einvoice_customer.cafe.address.city.state}"
}
