terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The account. Its URL and its main company's key come from the environment:
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
provider "einvoice" {}

# A branch that issues its own invoices, and its settings.

resource "einvoice_company" "branch" {
  name               = "Padaria Central"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "110042490114"
  city_tax_number    = "1234567"
  tax_regime         = "simplesNacional"

  economic_activities = [{ code = "1091102", type = "main" }]

  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { name = "São Paulo", state = "SP" }
  }

  # Deleting a company is irreversible, so the provider refuses it by default. You
  # will want to destroy this one again.
  deletion_protection = false
}

resource "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id

  service_invoice = {
    environment_type = "simulation" # Most cities have no test environment.
    series           = "1"
    next_number      = 1 # A minimum: the service raises it with each invoice.
  }

  consumer_invoice = {
    environment_type = "development"
    series           = "1"
    next_number      = 1
    token_id         = var.token_id
    csc              = var.csc
  }
}

# The branch itself, with the key that came with its creation.
provider "einvoice" {
  alias   = "branch"
  api_key = coalesce(var.branch_key, einvoice_company.branch.api_key)
}

# Its customer, its product and its webhook.

resource "einvoice_customer" "cafe" {
  name               = "Café da Esquina"
  legal_name         = "Café da Esquina Ltda"
  federal_tax_number = "45.997.418/0001-53"
  email              = "fiscal@cafe.example"

  address = {
    street      = "Rua Augusta"
    number      = "200"
    district    = "Consolação"
    postal_code = "01304-000"
    city        = { code = "3550308" }
  }
}

resource "einvoice_product" "bread" {
  code          = "PAO-001"
  name          = "Pão francês"
  price         = 17.90
  invoice_model = "consumerInvoice"
}

resource "einvoice_webhook" "authorized" {
  event = "invoice.authorized"
  url   = var.webhook_url
}

resource "einvoice_webhook_secret_rotation" "signature" {
  triggers     = { quarter = "2026-Q4" } # A new value rotates the secret.
  window_hours = 24                      # The old secret also signs for this long.
}

# Two invoices of the branch. Each is issued once.

resource "einvoice_invoice_issuance" "advice" {
  provider = einvoice.branch

  model          = "serviceInvoice"
  integration_id = "quickstart-nfse-1" # The permanent name of this invoice in your books.

  payload_json = jsonencode({
    description        = "Consultoria em panificação"
    federalServiceCode = "17.01"
    taxationType       = "taxationInMunicipality"
    receiver = {
      name             = einvoice_customer.cafe.name
      federalTaxNumber = einvoice_customer.cafe.federal_tax_number
      email            = einvoice_customer.cafe.email
      address = {
        street     = einvoice_customer.cafe.address.street
        number     = einvoice_customer.cafe.address.number
        district   = einvoice_customer.cafe.address.district
        postalCode = einvoice_customer.cafe.address.postal_code
        city       = { code = tonumber(einvoice_customer.cafe.address.city.code) }
      }
    }
    total = { invoiceAmount = 1500.00 }
  })

  depends_on = [einvoice_company_settings.branch, einvoice_webhook.authorized]

  lifecycle {
    # A later change of the customer does not change an issued invoice.
    ignore_changes = [payload_json]
  }
}

resource "einvoice_invoice_issuance" "sale" {
  provider = einvoice.branch

  model          = "consumerInvoice"
  integration_id = "quickstart-nfce-1"

  payload_json = jsonencode({
    operationNature = "Venda ao consumidor"
    isFinalCustomer = true
    destination     = "internal"
    presenceType    = "presence"
    items = [{
      code          = einvoice_product.bread.code
      description   = einvoice_product.bread.name
      ncm           = "19059090"
      cfop          = 5101
      unit          = "KG"
      quantity      = 2
      unitAmount    = 17.90
      totalAmount   = 35.80
      unitTax       = "KG"
      quantityTax   = 2
      unitTaxAmount = 17.90
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", csosn = "102" }
        pis    = { cst = "49" }
        cofins = { cst = "49" }
      }
    }]
    payments = [{ method = "pix", amount = 35.80 }]
    total    = { productAmount = 35.80, invoiceAmount = 35.80 }
  })

  depends_on = [einvoice_company_settings.branch, einvoice_webhook.authorized]

  lifecycle {
    ignore_changes = [payload_json]
  }
}
