data "einvoice_webhooks" "all" {}

# The service disables a webhook after failed deliveries.
check "webhooks" {
  assert {
    condition     = alltrue([for webhook in data.einvoice_webhooks.all.webhooks : coalesce(webhook.enabled, true)])
    error_message = "A webhook is disabled, and its receiver misses events."
  }
}
