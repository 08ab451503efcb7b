resource "einvoice_company" "branch" {
  name                = "branch"
  legal_name          = "branch"
  federal_tax_number  = "11444777000161"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

resource "einvoice_company_settings" "branch" {
  company_id       = einvoice_company.branch.id
  consumer_invoice = { token_id = "1", csc = "CSC" }
  service_invoice  = { user_name = "city", password = "PASSWORD" }
}

resource "einvoice_webhook" "test" {
  event = "invoice.authorized"
  url   = "https://example.com/hook?token=TOKEN"
}

resource "einvoice_webhook_secret_rotation" "test" {}
