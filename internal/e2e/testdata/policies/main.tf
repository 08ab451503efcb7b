resource "einvoice_company_settings" "main" {
  company_id       = "OWNER"
  product_invoice  = { environment_type = "development" }
  consumer_invoice = { environment_type = "development" }
  service_invoice  = { environment_type = "simulation" }
}

resource "einvoice_invoice_issuance" "kept" {
  model          = "serviceInvoice"
  integration_id = "a"
  payload_json = jsonencode({
    description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 1 }
  })
}

resource "einvoice_invoice_issuance" "canceled" {
  model               = "serviceInvoice"
  integration_id      = "b"
  cancellation_reason = "Issued for the wrong month"
  payload_json = jsonencode({
    description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 2 }
  })
}

module "deep" {
  source = "./outer"
  ids    = ["m-1", "m-2"]
}

resource "einvoice_company" "spare" {
  name               = "spare"
  legal_name         = "spare"
  federal_tax_number = "11.222.333/0001-81"
  address            = { city = { code = "3550308" } }
}
