resource "terraform_data" "t" {
  input            = "x"
  triggers_replace = "a"
}
resource "einvoice_company" "acme" {
  name                = "Acme Training"
  legal_name          = "Acme Training Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address             = { city = { code = "3550308" } }
}
resource "einvoice_company_settings" "acme" {
  company_id      = einvoice_company.acme.id
  product_invoice = { series = "1", next_number = 3, environment_type = "development" }
}
resource "einvoice_webhook_secret_rotation" "all" {
  triggers     = { quarter = "Q3" }
  window_hours = 24
}
resource "einvoice_invoice_issuance" "sale" {
  model               = "serviceInvoice"
  integration_id      = "sale-1"
  cancellation_reason = "Ordered twice by mistake"
  payload_json = jsonencode({
    description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 320.5 }
    receiver    = { name = "Padaria Central", federalTaxNumber = "45.997.418/0001-53" }
  })
}
resource "einvoice_correction_letter" "fix" {
  invoice_id = "NFE"
  letter     = "Onde se le 1 volume, leia-se 2 volumes."
}
