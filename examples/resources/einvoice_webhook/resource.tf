# One event to one receiver

resource "einvoice_webhook" "authorized" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks/invoices"
}
