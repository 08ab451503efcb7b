resource "einvoice_company" "branch" {
  name                = "Padaria Central Filial"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

# TF_VAR_certificate=$(base64 < certificate.pfx), or an ephemeral resource of a secret store.
variable "certificate" {
  type      = string
  ephemeral = true
  default   = "MAMCAQM=" # Stands for a file.
}

variable "certificate_password" {
  type      = string
  ephemeral = true
  default   = "of the file"
}

# Plans and states contain neither the file nor its password.
resource "einvoice_company_certificate" "branch" {
  company_id            = einvoice_company.branch.id
  pfx_base64_wo         = var.certificate
  password_wo           = var.certificate_password
  pfx_base64_wo_version = "2026" # A new value uploads again.
}

output "certificate_expires_at" {
  value = einvoice_company_certificate.branch.expires_at
}
