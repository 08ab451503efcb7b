# An NF-e for a sale within the state, by a maker of furniture in the normal regime
# (regime normal) in São Paulo, to a shop that resells it.
#
# The rates are examples: they depend on the NCM of the product and on the state. Ask
# your accountant.
#
# Uma NF-e de venda no estado: um fabricante de móveis do regime normal, em São Paulo, vende
# a uma loja, que revende.
#
# As alíquotas são exemplos: elas dependem do NCM do produto e do estado. Confirme com o
# contador.

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

resource "einvoice_invoice_issuance" "sale" {
  model          = "productInvoice"
  integration_id = "payload-nfe-within-state"

  payload_json = jsonencode({
    operationNature = "Venda de produção do estabelecimento"
    operationType   = "outgoing"
    purposeType     = "normal"
    destination     = "internal"
    presenceType    = "none"
    isFinalCustomer = false

    receiver = {
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

    items = [{
      code          = "CAD-001"
      description   = "Cadeira de madeira"
      ncm           = "94016900"
      gtinCode      = "SEM GTIN" # It has no bar code. / sem código de barras
      cfop          = 5101
      unit          = "UN"
      quantity      = 10
      unitAmount    = 100.00
      totalAmount   = 1000.00
      unitTax       = "UN"
      quantityTax   = 10
      unitTaxAmount = 100.00
      makeupTotal   = true
      taxes = {
        # This base does not include the IPI, because the receiver is an ICMS taxpayer and
        # resells the chairs.
        # A base não inclui o IPI: o destinatário é contribuinte do ICMS e revende as cadeiras.
        icms = { origin = "0", cst = "00", baseTaxModality = "3", baseTax = 1000.00, rate = 18.00, amount = 180.00 }

        # The base of PIS and COFINS excludes the ICMS: 1000.00 - 180.00.
        # A base de PIS e COFINS exclui o ICMS.
        pis    = { cst = "01", baseTax = 820.00, rate = 1.65, amount = 13.53 }
        cofins = { cst = "01", baseTax = 820.00, rate = 7.60, amount = 62.32 }

        # classificationCode is the legal framework of the IPI (cEnq).
        # classificationCode é o enquadramento legal do IPI (cEnq).
        ipi = { cst = "50", classificationCode = "999", baseTax = 1000.00, rate = 5.00, amount = 50.00 }

        # The rates of the test year, valid until 2026-12-31, on what remains after ICMS, PIS
        # and COFINS. The names of the IBS are not certain: see the guide "Payloads, field
        # by field".
        # As alíquotas do ano de teste, até 31/12/2026, sobre o que resta após ICMS, PIS e COFINS.
        # Os nomes dos campos do IBS não são certos: veja o guia "Preencher o payload".
        ibsCbs = {
          cst            = 0 # 000
          classification = 1 # cClassTrib 000001
          baseTax        = 744.15
          ibsStateRate   = 0.10
          ibsStateAmount = 0.74
          ibsCityRate    = 0
          ibsCityAmount  = 0
          cbsRate        = 0.90
          cbsAmount      = 6.70
        }
      }
    }]

    payments = [{ method = "billetBanking", amount = 1050.00 }]

    # Until 2026-12-31 the total does not include IBS and CBS. From 2027-01-01 it
    # does: this example is for 2026.
    # Até 31/12/2026, o total não inclui IBS e CBS; a partir de 01/01/2027, inclui.
    total = {
      icmsBaseTax   = 1000.00
      icmsAmount    = 180.00
      productAmount = 1000.00
      ipiAmount     = 50.00
      pisAmount     = 13.53
      cofinsAmount  = 62.32
      invoiceAmount = 1050.00
    }
  })
}
