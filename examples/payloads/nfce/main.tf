# An NFC-e over the counter, paid in two ways and with change (troco). The consumer
# is not named. Above R$ 10,000.00 the invoice needs a tax number.
#
# Uma NFC-e de balcão, paga de duas formas e com troco. O consumidor não é identificado.
# Acima de R$ 10.000,00, a nota exige CPF ou CNPJ.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

variable "csc" {
  description = "The company's security code for NFC-e (código de segurança do contribuinte), from the tax authority of its state."
  type        = string
  sensitive   = true
  default     = "A1B2C3D4-0000-1111-2222-333344445555"
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

# Without token and code the authority rejects each NFC-e.
# Sem token e CSC, a SEFAZ rejeita toda NFC-e.
resource "einvoice_company_settings" "shop" {
  company_id = einvoice_company.shop.id

  consumer_invoice = {
    environment_type = "development"
    series           = "1"
    next_number      = 1
    token_id         = "000001"
    csc              = var.csc
  }
}

resource "einvoice_invoice_issuance" "sale" {
  provider = einvoice.shop

  model          = "consumerInvoice"
  integration_id = "payload-nfce"

  payload_json = jsonencode({
    operationNature = "Venda ao consumidor"
    operationType   = "outgoing"
    purposeType     = "normal"
    destination     = "internal"
    presenceType    = "presence"
    isFinalCustomer = true

    items = [
      {
        code          = "PAO-001"
        description   = "Pão francês"
        ncm           = "19059090"
        gtinCode      = "SEM GTIN"
        cfop          = 5101 # The shop has made it. / produção própria
        unit          = "KG"
        quantity      = 1.5
        unitAmount    = 18.00
        totalAmount   = 27.00
        unitTax       = "KG"
        quantityTax   = 1.5
        unitTaxAmount = 18.00
        makeupTotal   = true
        taxes = {
          icms   = { origin = "0", csosn = "102" }
          pis    = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
          cofins = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
        }
      },
      {
        code          = "CAF-500"
        description   = "Café torrado em grão, 500 g"
        ncm           = "09012100"
        gtinCode      = "SEM GTIN"
        cfop          = 5102 # The shop has bought it. / mercadoria de terceiros
        unit          = "UN"
        quantity      = 1
        unitAmount    = 32.50
        totalAmount   = 32.50
        unitTax       = "UN"
        quantityTax   = 1
        unitTaxAmount = 32.50
        makeupTotal   = true
        taxes = {
          icms   = { origin = "0", csosn = "102" }
          pis    = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
          cofins = { cst = "49", baseTax = 0, rate = 0, amount = 0 }
        }
      },
    ]

    # 30.00 by PIX, and a note of 50.00 for the remaining 29.50. The name of the change
    # field is not certain.
    # R$ 30,00 por PIX e uma nota de R$ 50,00 para os R$ 29,50 restantes. O nome do campo do
    # troco não é certo.
    payments     = [{ method = "pix", amount = 30.00 }, { method = "money", amount = 50.00 }]
    changeAmount = 20.50

    total = { productAmount = 59.50, invoiceAmount = 59.50 }
  })

  depends_on = [einvoice_company_settings.shop]
}
