terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The branch's own key, from the environment: it decides who issues.
provider "einvoice" {}

resource "einvoice_invoice_issuance" "sale" {
  model          = "consumerInvoice"
  integration_id = "quickstart-nfce-2"

  payload_json = jsonencode({
    isFinalCustomer = true
    presenceType    = "presence"
    items = [{
      code          = "BOLO-001"
      description   = "Bolo de fubá"
      ncm           = "19050000"
      cfop          = 5101
      unit          = "UN"
      quantity      = 1
      unitAmount    = 24.50
      totalAmount   = 24.50
      unitTax       = "UN"
      quantityTax   = 1
      unitTaxAmount = 24.50
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", csosn = "102" }
        pis    = { cst = "49" }
        cofins = { cst = "49" }
      }
    }]
    payments = [{ method = "money", amount = 24.50 }]
    total    = { invoiceAmount = 24.50 }
  })
}

output "sale" {
  value = {
    number     = einvoice_invoice_issuance.sale.number
    status     = einvoice_invoice_issuance.sale.status
    access_key = einvoice_invoice_issuance.sale.access_key
  }
}
