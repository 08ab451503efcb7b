# An invoice that destroy cancels

# Without a reason destroying only forgets the invoice. With one it cancels, and so
# do -replace and taint: guard it with prevent_destroy until it shall be canceled.
resource "einvoice_invoice_issuance" "mistake" {
  model               = "serviceInvoice"
  integration_id      = "2026-11-training"
  cancellation_reason = "Serviço não prestado ao cliente"

  payload_json = jsonencode({
    description        = "Treinamento, novembro de 2026"
    federalServiceCode = "8.02"
    total              = { invoiceAmount = 900.00 }
  })

  lifecycle {
    # prevent_destroy = true
  }
}
