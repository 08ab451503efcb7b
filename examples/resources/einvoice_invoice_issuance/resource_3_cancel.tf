# An invoice that destroy cancels

# Without a reason, destroy only removes the invoice from state. With one it cancels it,
# and so do -replace and taint: keep prevent_destroy until you want to cancel.
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
    # prevent_destroy = true # Uncomment it until you want to cancel.
  }
}
