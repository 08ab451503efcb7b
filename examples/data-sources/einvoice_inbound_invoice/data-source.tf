data "einvoice_inbound_invoices" "newest" {
  limit = 1
}

# Empty until the company has received an invoice.
data "einvoice_inbound_invoice" "newest" {
  for_each = toset(data.einvoice_inbound_invoices.newest.invoices[*].id)

  model = "productInvoice"
  id    = each.value
}

output "newest" {
  value = { for id, invoice in data.einvoice_inbound_invoice.newest : id => try(invoice.manifestation.status, null) }
}
