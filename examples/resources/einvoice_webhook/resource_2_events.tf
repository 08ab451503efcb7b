# Several events to one receiver

resource "einvoice_webhook" "erp" {
  for_each = toset(["invoice.status_changed", "inbound_invoice.detected", "inbound_invoice.completed"])

  event = each.value
  url   = "https://erp.example/hooks/invoices"
}
