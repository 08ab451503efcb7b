# Declares what the company knows of an invoice that it received.

terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

variable "access_key" {
  type = string
}

data "einvoice_inbound_invoices" "received" {
  access_key = var.access_key
}

resource "einvoice_inbound_manifestation" "received" {
  invoice_id = one(data.einvoice_inbound_invoices.received.invoices).id
  status     = "acknowledged"
}
