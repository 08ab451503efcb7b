# The sales of a shop, each with its consumer invoice (NFC-e). It is here for its
# tests, in tests/: they run without an account and without a network.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

locals {
  # An amount in reais has two decimals, and Terraform has no round function.
  amounts = { for id, items in var.sales : id => [
    for item in items : tonumber(format("%.2f", item.quantity * item.price))
  ] }
  totals = { for id, amounts in local.amounts : id => tonumber(format("%.2f", sum(amounts))) }
}

resource "einvoice_invoice_issuance" "sale" {
  for_each = var.sales

  model              = "consumerInvoice"
  integration_id     = each.key
  accept_contingency = var.accept_contingency

  payload_json = jsonencode({
    operationNature = "Venda ao consumidor"
    isFinalCustomer = true
    destination     = "internal"
    presenceType    = "presence"
    items = [for i, item in each.value : {
      code          = item.code
      description   = item.description
      ncm           = item.ncm
      cfop          = 5101
      unit          = "UN"
      quantity      = item.quantity
      unitAmount    = item.price
      totalAmount   = local.amounts[each.key][i]
      unitTax       = "UN"
      quantityTax   = item.quantity
      unitTaxAmount = item.price
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", cst = "40" }
        pis    = { cst = "07" }
        cofins = { cst = "07" }
        ibsCbs = { cst = 0, classification = 1 } # 000 and 000001, owed since 2026. The service's specification does not show these names.
      }
    }]
    payments = [{ method = "pix", amount = local.totals[each.key] }]
    total    = { invoiceAmount = local.totals[each.key] }
  })
}
