terraform {
  required_providers {
    einvoice = {
      source = "einvoice-br/einvoice"
    }
  }
}

variable "ids" { type = set(string) }

resource "einvoice_invoice_issuance" "this" {
  for_each            = var.ids
  model               = "serviceInvoice"
  integration_id      = each.key
  cancellation_reason = "Issued for the wrong month"
  payload_json = jsonencode({
    description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 1 }
  })
}
