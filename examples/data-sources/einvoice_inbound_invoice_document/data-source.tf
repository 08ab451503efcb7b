data "einvoice_inbound_invoices" "complete" {
  issued_from = "2026-11-01"
  issued_to   = "2026-11-30"
}

# The XML of each NF-e that is complete.
data "einvoice_inbound_invoice_document" "xml" {
  for_each = { for invoice in data.einvoice_inbound_invoices.complete.invoices : invoice.access_key => invoice.id if invoice.is_complete }

  id     = each.value
  format = "xml"
}

output "archive" {
  value = { for key, document in data.einvoice_inbound_invoice_document.xml : "${key}.xml" => sha256(document.content) }
}
