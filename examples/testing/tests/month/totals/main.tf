# The totals of a month, in a module of their own, so that a test can override them.

terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

data "einvoice_invoice_totals" "month" {
  model = "consumerInvoice"
  month = "2026-11"
}

output "billed" {
  value = data.einvoice_invoice_totals.month.by_status["authorized"].amount
}
