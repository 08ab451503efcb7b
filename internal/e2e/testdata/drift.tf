resource "einvoice_customer" "padaria" {
  name = "Padaria Secreta"
}

resource "einvoice_company" "branch" {
  name               = "branch"
  legal_name         = "branch"
  federal_tax_number = "11.222.333/0001-81"
  address            = { city = { code = "3550308" } }
}

data "einvoice_company_certificates" "branch" {
  company_id = einvoice_company.branch.id
}

check "certificate" {
  assert {
    condition     = coalesce(data.einvoice_company_certificates.branch.days_left, 0) >= 30
    error_message = "The company has no certificate."
  }
}
