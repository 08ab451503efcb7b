resource "einvoice_company" "branch" {
  name                = "Padaria Central"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address = {
    street = "Avenida Paulista", number = "1000", district = "Bela Vista", postal_code = "01310-100", city = { code = "3550308" }
  }
}

resource "einvoice_company_settings" "branch" {
  company_id      = einvoice_company.branch.id
  service_invoice = { environment_type = "simulation", series = "1" }
}

resource "einvoice_customer" "cafe" {
  name               = "Café da Esquina"
  federal_tax_number = "45.997.418/0001-53"
  phone              = "(11) 3333-4444"
  address            = { street = "Rua A", number = "1", postal_code = "01310-100", city = { name = "São Paulo", state = "SP" } }
}

resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-consulting"
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 1500 } })
}
