# A draft that is issued later

# Nothing is sent to the authority until `issue` is true.
resource "einvoice_invoice_issuance" "december" {
  model          = "serviceInvoice"
  integration_id = "2026-12-consulting"
  issue          = false

  payload_json = jsonencode({
    description        = "Consultoria, dezembro de 2026"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 1500.00 }
  })
}
