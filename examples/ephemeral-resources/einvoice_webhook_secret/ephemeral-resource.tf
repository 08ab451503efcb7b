terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
    aws = {
      source = "hashicorp/aws"
    }
  }
}

# Rotates once a quarter, without keeping the secret.
resource "einvoice_webhook_secret_rotation" "quarter" {
  triggers     = { quarter = "2026-Q4" }
  window_hours = 24
  store_secret = false
}

ephemeral "einvoice_webhook_secret" "current" {
  depends_on = [einvoice_webhook_secret_rotation.quarter]
}

# The receivers of the webhooks read the secret here. No state and no plan contains it.
# The version says when to send it again.
resource "aws_ssm_parameter" "webhook_secret" {
  name             = "/invoices/webhook-secret"
  type             = "SecureString"
  value_wo         = ephemeral.einvoice_webhook_secret.current.secret
  value_wo_version = parseint(formatdate("YYYYMMDDhhmm", einvoice_webhook_secret_rotation.quarter.rotated_at), 10)
}
