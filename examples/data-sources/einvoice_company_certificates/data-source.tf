resource "einvoice_company" "branch" {
  name                = "Padaria Central Filial"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

data "einvoice_company_certificates" "branch" {
  company_id = einvoice_company.branch.id
}

# Warns in every run if the certificate expires within 30 days, or if there is none.
check "certificate" {
  assert {
    condition     = coalesce(data.einvoice_company_certificates.branch.days_left, 0) >= 30
    error_message = "The company has no certificate that is valid for another 30 days."
  }
}
