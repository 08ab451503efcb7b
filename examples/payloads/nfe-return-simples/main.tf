# An NF-e for a return (devolução) to a company of the Simples Nacional: a consumer brings
# back one of two lamps. A consumer issues no invoice, so the shop issues one for what
# comes in, with the CSOSN of the sale. It has no IBS and CBS before 2027, unless the
# company has opted in.
#
# If the shop itself returns goods to a supplier of the normal regime (regime normal), the
# invoice is outgoing, with CFOP 5202 or 6202 and CSOSN 900, and shows base, rate and amount
# of the ICMS that the supplier's invoice shows (Resolução CGSN 140/2018, art. 59).
#
# Uma NF-e de devolução a uma empresa do Simples Nacional: um consumidor devolve uma de duas
# luminárias. O consumidor não emite nota, por isso a loja emite a nota de entrada, com o
# CSOSN da venda. Não há IBS e CBS antes de 2027, a não ser por opção da empresa.
#
# Se a própria loja devolver mercadoria a um fornecedor do regime normal, a nota é de saída,
# com CFOP 5202 ou 6202 e CSOSN 900, e traz base, alíquota e valor do ICMS destacado na nota
# do fornecedor (Resolução CGSN 140/2018, art. 59).

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The account. Its address and its main company's key come from the environment,
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
# A conta: o endereço e a chave da empresa principal vêm do ambiente.
provider "einvoice" {}

resource "einvoice_company" "shop" {
  name               = "Luz e Casa"
  legal_name         = "Luz e Casa Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "110042490114"
  city_tax_number    = "1234567"
  tax_regime         = "simplesNacional"

  economic_activities = [{ code = "4754703", type = "main" }]

  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { code = "3550308" }
  }

  # You can destroy this company again. The default is true.
  # Assim, esta empresa de exemplo pode ser excluída. O padrão é true.
  deletion_protection = false
}

# The company issues with its own key, which came with its creation.
# A empresa emite com a própria chave, recebida no cadastro.
provider "einvoice" {
  alias   = "shop"
  api_key = einvoice_company.shop.api_key
}

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
  provider = einvoice.shop

  model          = "productInvoice"
  integration_id = "payload-nfe-return-simples-sale"

  payload_json = jsonencode({
    operationNature = "Venda de mercadoria"
    operationType   = "outgoing"
    purposeType     = "normal"
    destination     = "internal"
    presenceType    = "presence"
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
        # 102: taxed by the Simples Nacional, and nothing for the receiver to credit.
        # 102: tributada pelo Simples Nacional, sem permissão de crédito.
        icms   = { origin = "0", csosn = "102" }
        pis    = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
        cofins = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
      }
    }]

    payments = [{ method = "pix", amount = 400.00 }]
    total    = { productAmount = 400.00, invoiceAmount = 400.00 }
  })
}

resource "einvoice_invoice_issuance" "return" {
  provider = einvoice.shop

  model          = "productInvoice"
  integration_id = "payload-nfe-return-simples"

  payload_json = jsonencode({
    operationNature = "Devolução de venda"
    operationType   = "incoming" # The goods come in. / entrada
    purposeType     = "devolution"
    destination     = "internal"
    presenceType    = "presence"
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
        # 102: taxed by the Simples Nacional, and nothing for the receiver to credit.
        # 102: tributada pelo Simples Nacional, sem permissão de crédito.
        icms   = { origin = "0", csosn = "102" }
        pis    = { cst = "98", baseTax = 0, rate = 0, amount = 0 }
        cofins = { cst = "98", baseTax = 0, rate = 0, amount = 0 }
      }
    }]

    # A return has no payment: 90 is "no payment" (sem pagamento) in the authority's
    # table.
    # Na devolução não há pagamento: 90 é "sem pagamento".
    payments = [{ method = "90", amount = 0 }]
    total    = { productAmount = 200.00, invoiceAmount = 200.00 }
  })
}
