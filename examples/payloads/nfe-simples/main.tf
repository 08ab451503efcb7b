# An NF-e of a company of the Simples Nacional. It has a CSOSN instead of a CST. It has
# no IBS and CBS before 2027, unless the company has opted in.
#
# Uma NF-e de empresa do Simples Nacional, com CSOSN no lugar do CST. Não há IBS e CBS antes
# de 2027, a não ser por opção da empresa.

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
  name               = "Padaria Central"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "110042490114"
  city_tax_number    = "1234567"
  tax_regime         = "simplesNacional"

  economic_activities = [{ code = "4721102", type = "main" }]

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

resource "einvoice_invoice_issuance" "sale" {
  provider = einvoice.shop

  model          = "productInvoice"
  integration_id = "payload-nfe-simples"

  payload_json = jsonencode({
    operationNature = "Venda de mercadoria"
    operationType   = "outgoing"
    purposeType     = "normal"
    destination     = "internal"
    presenceType    = "presence"
    isFinalCustomer = true

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
      code          = "CAF-500"
      description   = "Café torrado em grão, 500 g"
      ncm           = "09012100"
      gtinCode      = "SEM GTIN"
      cfop          = 5102
      unit          = "UN"
      quantity      = 4
      unitAmount    = 32.50
      totalAmount   = 130.00
      unitTax       = "UN"
      quantityTax   = 4
      unitTaxAmount = 32.50
      makeupTotal   = true
      taxes = {
        # 102: taxed by the Simples Nacional, and nothing for the receiver to credit.
        # 102: tributada pelo Simples Nacional, sem permissão de crédito.
        icms   = { origin = "0", csosn = "102" }
        pis    = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
        cofins = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
      }
    }]

    payments = [{ method = "money", amount = 130.00 }]
    total    = { productAmount = 130.00, invoiceAmount = 130.00 }
  })
}
