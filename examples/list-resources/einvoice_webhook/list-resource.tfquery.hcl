# terraform query -generate-config-out=webhooks.tf
list "einvoice_webhook" "all" {
  provider = einvoice
}
