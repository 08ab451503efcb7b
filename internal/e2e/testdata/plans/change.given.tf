resource "einvoice_company" "branch" {
  name                = "Padaria Central"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address = {
    street = "Avenida Paulista", number = "1000", district = "Bela Vista", postal_code = "01310-100", city = { code = "3550308" }
  }
}

resource "einvoice_customer" "cafe" {
  name               = "Café da Esquina"
  federal_tax_number = "45.997.418/0001-53"
  phone              = "(11) 3333-4444"
  address            = { street = "Rua A", number = "1", postal_code = "01310-100", city = { name = "São Paulo", state = "SP" } }
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

resource "einvoice_customer" "spelled" {
  name               = "Maria"
  federal_tax_number = "529.982.247-25"
  phone              = "(11) 3333-5555"
  address            = { postal_code = "01310-200", city = { code = "3550308" } }
}
resource "einvoice_customer" "drifting" {
  name  = "João"
  phone = "(11) 3333-6666"
}
resource "einvoice_company_settings" "main" {
  company_id      = "OWNER"
  product_invoice = { series = "1", next_number = 10, environment_type = "development" }
}
resource "einvoice_webhook" "disabled" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks"
}
resource "einvoice_webhook" "gone" {
  event = "invoice.rejected"
  url   = "https://erp.example/hooks"
}
resource "einvoice_product" "bread" {
  name          = "Pão francês"
  code          = "P-1"
  price         = 1.5
  invoice_model = "consumerInvoice"
}
resource "einvoice_webhook_secret_rotation" "quarterly" {
  triggers     = { quarter = "2026-Q3" }
  window_hours = 24
}
