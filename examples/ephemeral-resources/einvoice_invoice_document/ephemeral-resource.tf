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

variable "invoice_id" {
  type = string
}

ephemeral "einvoice_invoice_document" "xml" {
  model  = "productInvoice"
  id     = var.invoice_id
  format = "xml"
}

# Stores the signed invoice. No state and no plan contains it.
resource "aws_secretsmanager_secret" "invoice" {
  name = "invoices/${var.invoice_id}"
}

resource "aws_secretsmanager_secret_version" "invoice" {
  secret_id                = aws_secretsmanager_secret.invoice.id
  secret_string_wo         = ephemeral.einvoice_invoice_document.xml.content
  secret_string_wo_version = 1
}
