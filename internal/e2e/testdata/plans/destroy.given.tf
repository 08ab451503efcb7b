resource "einvoice_company" "branch" {
  name                = "Padaria Central"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address = {
    street = "Avenida Paulista", number = "1000", district = "Bela Vista", postal_code = "01310-100", city = { code = "3550308" }
  }
}

resource "einvoice_order" "cake" {
  transaction_id  = "2026-11-000123"
  amount          = 100
  auto_issue_mode = "afterPayment"
  status          = "created"
  customer        = { name = "Maria", federal_tax_number = "529.982.247-25" }
  items = [{
    quantity = 4, price = 25, amount = 100, product = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" }
  }]
}

resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-consulting"
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 1500 } })
}

resource "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id
  general    = { decimal_precision = 3 }
}
