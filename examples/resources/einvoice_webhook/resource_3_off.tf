# A disabled webhook, and one that others enable and disable

resource "einvoice_webhook" "not_yet" {
  event   = "invoice.status_changed"
  url     = "https://audit.example/hooks/invoices"
  enabled = false
}

# Without ignore_changes each apply enables what the service, or a person, has disabled.
resource "einvoice_webhook" "operated" {
  event = "invoice.rejected"
  url   = "https://ops.example/hooks/invoices"

  lifecycle {
    ignore_changes = [enabled]
  }
}
