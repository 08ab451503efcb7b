# Rotates when the receivers are deployed again, and on request:
# terraform apply -invoke=action.einvoice_webhook_secret_rotate.deploy
action "einvoice_webhook_secret_rotate" "deploy" {
  config {
    window_hours = 24
  }
}

resource "terraform_data" "receivers" {
  input = "2026.11"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.einvoice_webhook_secret_rotate.deploy]
    }
  }
}
