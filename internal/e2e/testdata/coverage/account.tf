# Everything that the interface has for an account, in two steps.

variable "step" {
  type = number
}

variable "company" {
  type = string
}

locals {
  address = {
    street                 = "Avenida Paulista"
    number                 = "1000"
    district               = "Bela Vista"
    postal_code            = "01310-100"
    additional_information = "Sala 2"
    city                   = { code = "3550308" }
    country                = { code = 1058, name = "Brasil" }
  }
}

resource "einvoice_company" "branch" {
  name                = "Padaria Central ${var.step}"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  state_tax_number    = "110042490114"
  city_tax_number     = "1234567"
  email               = "fiscal@example.com"
  phone               = "1130000000"
  mobile_phone        = "11900000000"
  tax_regime          = "simplesNacional"
  economic_activities = [{ code = "1091102", type = "main" }]
  address             = local.address
  deletion_protection = false
}

resource "einvoice_company_settings" "main" {
  company_id = var.company

  general = {
    allow_duplicate_federal_tax_numbers     = false
    allow_natural_person_company            = false
    allow_multiple_invoice_models_per_order = true
    decimal_precision                       = 2
    tax_reform_fields_enabled               = true

    technical_responsible = {
      federal_tax_number = "45.997.418/0001-53"
      contact_name       = "Suporte"
      email              = "suporte@example.com"
      phone              = "1130000001"
    }
  }

  product_invoice = {
    series             = "1"
    next_number        = var.step
    environment_type   = "development"
    danfe_print_layout = "simplified"
    inbound            = { enabled = true, start_date = "2026-01-01T00:00:00-03:00" }
  }

  consumer_invoice = {
    series                    = "1"
    next_number               = 1
    environment_type          = "development"
    token_id                  = "000001"
    csc                       = "AAAA-BBBB"
    allow_offline_contingency = true
  }

  service_invoice = {
    series               = "1"
    next_number          = 1
    next_batch_number    = 1
    environment_type     = "simulation"
    issue_type           = "normal"
    user_name            = "padaria"
    password             = "of the city"
    auth_number          = "77"
    send_city_tax_number = true
  }
}

resource "einvoice_customer" "cafe" {
  name               = "Café da Esquina ${var.step}"
  legal_name         = "Café da Esquina Ltda"
  federal_tax_number = "45.997.418/0001-53"
  state_tax_number   = "ISENTO"
  city_tax_number    = "7654321"
  email              = "fiscal@cafe.example"
  phone              = "1130000002"
  mobile_phone       = "11900000002"
  address            = merge(local.address, { city_name = "São Paulo" })
}

resource "einvoice_product" "bread" {
  code          = "PAO-001"
  name          = "Pão francês ${var.step}"
  price         = 17.90
  invoice_model = "consumerInvoice"
}

resource "einvoice_webhook" "every" {
  for_each = toset([
    "invoice.status_changed", "invoice.authorized", "invoice.rejected", "invoice.canceled", "invoice.contingency",
    "inbound_invoice.detected", "inbound_invoice.completed", "inbound_invoice.event",
  ])

  event   = each.value
  url     = "https://hooks.example/${var.step}"
  enabled = var.step == 2
}

resource "einvoice_webhook_secret_rotation" "signature" {
  window_hours = 24
}

data "einvoice_company" "main" {
  id = var.company
}

data "einvoice_company" "branch" {
  id = einvoice_company.branch.id
}

data "einvoice_companies" "all" {
  depends_on = [einvoice_company.branch]
}

data "einvoice_company_settings" "main" {
  company_id = einvoice_company_settings.main.company_id
}

data "einvoice_customer" "cafe" {
  id = einvoice_customer.cafe.id
}

data "einvoice_customers" "all" {
  depends_on = [einvoice_customer.cafe]
}

data "einvoice_product" "bread" {
  id = einvoice_product.bread.id
}

data "einvoice_products" "all" {
  depends_on = [einvoice_product.bread]
}

data "einvoice_webhook" "authorized" {
  id = einvoice_webhook.every["invoice.authorized"].id
}

data "einvoice_webhooks" "all" {
  depends_on = [einvoice_webhook.every]
}
