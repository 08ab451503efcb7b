# What was billed for services in November, to the cent. If the same configuration issues
# them, add depends_on = [einvoice_invoice_issuance.NAME], so that it counts them afterwards.
data "einvoice_invoice_totals" "november" {
  model = "serviceInvoice"
  month = "2026-11"
}

output "billed" {
  value = data.einvoice_invoice_totals.november.by_status["authorized"].amount
}

# Warns while an invoice of the month has no final status.
check "november_is_settled" {
  assert {
    condition = alltrue([
      for status in ["created", "enqueued", "received", "inContingent", "rejected"] :
      data.einvoice_invoice_totals.november.by_status[status].invoice_count == 0
    ])
    error_message = "Some invoices of November are still to be authorized."
  }
}
