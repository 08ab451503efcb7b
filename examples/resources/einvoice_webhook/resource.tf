# One webhook for each event that the receiver wants.
resource "einvoice_webhook" "authorized" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks/invoices"
}

resource "einvoice_webhook" "life_cycle" {
  event   = "invoice.status_changed"
  url     = "https://audit.example/hooks/invoices"
  enabled = false # Not yet.
}
