import {
  to = einvoice_webhook.authorized
  id = "event=invoice.authorized,url=https://erp.example/hooks/invoices" # or the id of the webhook
}
