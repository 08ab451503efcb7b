# Creating this rotates the secret. Every new value in triggers rotates it again.
resource "einvoice_webhook_secret_rotation" "quarterly" {
  triggers     = { quarter = "2026-Q4" }
  window_hours = 24 # Deliveries carry both signatures for a day.
}

output "webhook_secret" {
  value     = einvoice_webhook_secret_rotation.quarterly.secret
  sensitive = true
}

output "previous_secret_valid_until" {
  value = einvoice_webhook_secret_rotation.quarterly.previous_secret_valid_until
}
