# A complementary NF-e (nota fiscal complementar): 100 kg of screws were sold, and the
# receiver's scales say 105 kg. The second invoice is for the 5 kg that are missing in
# the first, which it names. The first one stays as it is.
#
# The issuer is of the normal regime (regime normal) in São Paulo. The rates are examples.
#
# Uma NF-e complementar: foram vendidos 100 kg de parafusos, e a balança do cliente mostra
# 105 kg. A segunda nota traz os 5 kg que faltam na primeira, à qual se refere. A primeira
# não muda.
#
# O emitente é do regime normal, em São Paulo. As alíquotas são exemplos.

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
  buyer = {
    name             = "Café da Esquina Ltda"
    federalTaxNumber = "45997418000153"
    stateTaxNumber   = "110042490114" # An ICMS taxpayer; without one, leave it out. / contribuinte do ICMS; sem inscrição, omita o campo
    email            = "fiscal@cafe.example"
    address = {
      street     = "Rua Augusta"
      number     = "200"
      district   = "Consolação"
      postalCode = "01304000"
      city       = { code = 3550308 } # São Paulo, as the issuer
    }
  }
}

resource "einvoice_invoice_issuance" "sale" {
  model          = "productInvoice"
  integration_id = "payload-nfe-complement-sale"

  payload_json = jsonencode({
    operationNature = "Venda de mercadoria"
    operationType   = "outgoing"
    purposeType     = "normal"
    destination     = "internal"
    presenceType    = "none"
    isFinalCustomer = false
    receiver        = local.buyer

    items = [{
      code          = "PAR-060"
      description   = "Parafusos de aço, a granel"
      ncm           = "73181500"
      gtinCode      = "SEM GTIN"
      cfop          = 5102
      unit          = "KG"
      quantity      = 100
      unitAmount    = 20.00
      totalAmount   = 2000.00
      unitTax       = "KG"
      quantityTax   = 100
      unitTaxAmount = 20.00
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", cst = "00", baseTaxModality = "3", baseTax = 2000.00, rate = 18.00, amount = 360.00 }
        pis    = { cst = "01", baseTax = 1640.00, rate = 1.65, amount = 27.06 }
        cofins = { cst = "01", baseTax = 1640.00, rate = 7.60, amount = 124.64 }
        # The names of the IBS are not certain. The rates hold until 2026-12-31.
        # Os nomes dos campos do IBS não são certos. As alíquotas valem até 31/12/2026.
        ibsCbs = {
          cst            = 0 # 000
          classification = 1 # cClassTrib 000001
          baseTax        = 1488.30
          ibsStateRate   = 0.10
          ibsStateAmount = 1.49
          ibsCityRate    = 0
          ibsCityAmount  = 0
          cbsRate        = 0.90
          cbsAmount      = 13.39
        }
      }
    }]

    payments = [{ method = "bankTransfer", amount = 2000.00 }]
    total = {
      icmsBaseTax   = 2000.00
      icmsAmount    = 360.00
      productAmount = 2000.00
      pisAmount     = 27.06
      cofinsAmount  = 124.64
      invoiceAmount = 2000.00
    }
  })
}

resource "einvoice_invoice_issuance" "complement" {
  model          = "productInvoice"
  integration_id = "payload-nfe-complement"

  payload_json = jsonencode({
    operationNature = "Complemento de quantidade"
    operationType   = "outgoing"
    purposeType     = "complement"
    destination     = "internal"
    presenceType    = "none"
    isFinalCustomer = false
    receiver        = local.buyer

    # The invoice that this one completes. The names of the members of a reference are not
    # certain.
    # A nota que esta complementa. Os nomes dos campos da referência não são certos.
    referencedDocuments = [{ accessKey = einvoice_invoice_issuance.sale.access_key }]

    # Only what the original invoice lacks.
    # Só o que falta na nota original.
    items = [{
      code          = "PAR-060"
      description   = "Parafusos de aço, a granel"
      ncm           = "73181500"
      gtinCode      = "SEM GTIN"
      cfop          = 5102
      unit          = "KG"
      quantity      = 5
      unitAmount    = 20.00
      totalAmount   = 100.00
      unitTax       = "KG"
      quantityTax   = 5
      unitTaxAmount = 20.00
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", cst = "00", baseTaxModality = "3", baseTax = 100.00, rate = 18.00, amount = 18.00 }
        pis    = { cst = "01", baseTax = 82.00, rate = 1.65, amount = 1.35 }
        cofins = { cst = "01", baseTax = 82.00, rate = 7.60, amount = 6.23 }
        # The names of the IBS are not certain. The rates hold until 2026-12-31.
        # Os nomes dos campos do IBS não são certos. As alíquotas valem até 31/12/2026.
        ibsCbs = {
          cst            = 0 # 000
          classification = 1 # cClassTrib 000001
          baseTax        = 74.42
          ibsStateRate   = 0.10
          ibsStateAmount = 0.07
          ibsCityRate    = 0
          ibsCityAmount  = 0
          cbsRate        = 0.90
          cbsAmount      = 0.67
        }
      }
    }]

    payments = [{ method = "bankTransfer", amount = 100.00 }]
    total = {
      icmsBaseTax   = 100.00
      icmsAmount    = 18.00
      productAmount = 100.00
      pisAmount     = 1.35
      cofinsAmount  = 6.23
      invoiceAmount = 100.00
    }
  })
}
