# An NF-e for a return (devolução): a consumer has bought two lamps, and brings one
# back. A consumer issues no invoice, so the seller issues one for what comes in. If
# the receiver is a company, it issues its own NF-e: outgoing, with CFOP 5202 or 6202.
#
# The taxes are those of the sale, for what is returned; the rates are examples. The
# issuer is of the normal regime (regime normal) in São Paulo.
#
# Uma NF-e de devolução: um consumidor comprou duas luminárias e devolve uma. O consumidor
# não emite nota, por isso o vendedor emite a nota de entrada. Se o destinatário for uma
# empresa, ela emite a própria NF-e, de saída, com CFOP 5202 ou 6202.
#
# Os impostos são os da venda, na proporção do que volta; as alíquotas são exemplos. O
# emitente é do regime normal, em São Paulo.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The company that issues: its address and key come from the environment,
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
# A empresa que emite: o endereço e a chave vêm do ambiente.
provider "einvoice" {}

locals {
  consumer = {
    name             = "Maria Silva"
    federalTaxNumber = "52998224725"
    email            = "maria@example.com"
    address = {
      street     = "Rua Augusta"
      number     = "310"
      district   = "Consolação"
      postalCode = "01304000"
      city       = { code = 3550308 }
    }
  }
}

resource "einvoice_invoice_issuance" "sale" {
  model          = "productInvoice"
  integration_id = "payload-nfe-return-sale"

  payload_json = jsonencode({
    operationNature = "Venda de mercadoria"
    operationType   = "outgoing"
    purposeType     = "normal"
    destination     = "internal"
    presenceType    = "internet"
    isFinalCustomer = true
    receiver        = local.consumer

    items = [{
      code          = "LUM-007"
      description   = "Luminária de mesa"
      ncm           = "94052100"
      gtinCode      = "SEM GTIN"
      cfop          = 5102
      unit          = "UN"
      quantity      = 2
      unitAmount    = 200.00
      totalAmount   = 400.00
      unitTax       = "UN"
      quantityTax   = 2
      unitTaxAmount = 200.00
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", cst = "00", baseTaxModality = "3", baseTax = 400.00, rate = 18.00, amount = 72.00 }
        pis    = { cst = "01", baseTax = 328.00, rate = 1.65, amount = 5.41 }
        cofins = { cst = "01", baseTax = 328.00, rate = 7.60, amount = 24.93 }
        # The names of the IBS are not certain. The rates hold until 2026-12-31.
        # Os nomes dos campos do IBS não são certos. As alíquotas valem até 31/12/2026.
        ibsCbs = {
          cst            = 0 # 000
          classification = 1 # cClassTrib 000001
          baseTax        = 297.66
          ibsStateRate   = 0.10
          ibsStateAmount = 0.30
          ibsCityRate    = 0
          ibsCityAmount  = 0
          cbsRate        = 0.90
          cbsAmount      = 2.68
        }
      }
    }]

    payments = [{ method = "bankTransfer", amount = 400.00 }]
    total = {
      icmsBaseTax   = 400.00
      icmsAmount    = 72.00
      productAmount = 400.00
      pisAmount     = 5.41
      cofinsAmount  = 24.93
      invoiceAmount = 400.00
    }
  })
}

resource "einvoice_invoice_issuance" "return" {
  model          = "productInvoice"
  integration_id = "payload-nfe-return"

  payload_json = jsonencode({
    operationNature = "Devolução de venda"
    operationType   = "incoming" # The goods come in. / entrada
    purposeType     = "devolution"
    destination     = "internal"
    presenceType    = "internet"
    isFinalCustomer = true
    receiver        = local.consumer

    items = [{
      code          = "LUM-007"
      description   = "Luminária de mesa"
      ncm           = "94052100"
      gtinCode      = "SEM GTIN"
      cfop          = 1202
      unit          = "UN"
      quantity      = 1
      unitAmount    = 200.00
      totalAmount   = 200.00
      unitTax       = "UN"
      quantityTax   = 1
      unitTaxAmount = 200.00
      makeupTotal   = true

      # The document that the goods came with, and the item's number in it (group
      # DFeReferenciado).
      # A nota de origem e o número do item nela (grupo DFeReferenciado).
      sourceDocument = { accessKey = einvoice_invoice_issuance.sale.access_key, itemNumber = 1 }

      taxes = {
        icms   = { origin = "0", cst = "00", baseTaxModality = "3", baseTax = 200.00, rate = 18.00, amount = 36.00 }
        pis    = { cst = "98", baseTax = 164.00, rate = 1.65, amount = 2.71 }
        cofins = { cst = "98", baseTax = 164.00, rate = 7.60, amount = 12.46 }
        # The names of the IBS are not certain. The rates hold until 2026-12-31.
        # Os nomes dos campos do IBS não são certos. As alíquotas valem até 31/12/2026.
        ibsCbs = {
          cst            = 0 # 000
          classification = 1 # cClassTrib 000001
          baseTax        = 148.83
          ibsStateRate   = 0.10
          ibsStateAmount = 0.15
          ibsCityRate    = 0
          ibsCityAmount  = 0
          cbsRate        = 0.90
          cbsAmount      = 1.34
        }
      }
    }]

    # A return has no payment (90 in the authority's table).
    # Na devolução não há pagamento: é o código 90, "sem pagamento".
    payments = [{ method = "noPayment", amount = 0 }]
    total = {
      icmsBaseTax   = 200.00
      icmsAmount    = 36.00
      productAmount = 200.00
      pisAmount     = 2.71
      cofinsAmount  = 12.46
      invoiceAmount = 200.00
    }
  })
}
