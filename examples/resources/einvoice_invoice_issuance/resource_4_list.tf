# One invoice for each entry of a list

locals {
  contracts = {
    "contract-17" = { description = "Suporte, novembro de 2026", amount = 350.00 }
    "contract-22" = { description = "Hospedagem do site, novembro de 2026", amount = 120.00 }
  }
}

resource "einvoice_invoice_issuance" "contract" {
  for_each = local.contracts

  # The same on every machine, so that a run that has lost its state finds the invoice.
  integration_id = provider::einvoice::integration_id("my books", "2026-11", each.key)
  model          = "serviceInvoice"

  payload_json = jsonencode({
    description        = each.value.description
    federalServiceCode = "1.07"
    total              = { invoiceAmount = each.value.amount }
  })
}
