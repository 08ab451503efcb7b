resource "einvoice_webhook" "authorized" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks/invoices"
}

# By its identifier.
data "einvoice_webhook" "by_id" {
  id = einvoice_webhook.authorized.id
}

# By its event and its exact URL.
data "einvoice_webhook" "by_url" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks/invoices"

  depends_on = [einvoice_webhook.authorized]
}

output "enabled" {
  value = data.einvoice_webhook.by_url.enabled
}
