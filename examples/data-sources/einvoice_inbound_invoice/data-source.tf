data "einvoice_inbound_invoices" "november" {
  issued_from = "2026-11-01"
  issued_to   = "2026-11-30"
}

# The list begins with the newest. Empty until something was received.
data "einvoice_inbound_invoice" "newest" {
  for_each = toset(slice(data.einvoice_inbound_invoices.november.invoices[*].id, 0, min(1, length(data.einvoice_inbound_invoices.november.invoices))))

  model = "productInvoice"
  id    = each.value
}

output "newest" {
  value = { for id, invoice in data.einvoice_inbound_invoice.newest : id => try(invoice.manifestation.status, null) }
}
