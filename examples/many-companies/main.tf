# Three companies from one CSV file, and the service invoices (NFS-e) that each of them
# issues in a month from another.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The account's main company: EINVOICE_BASE_URL and EINVOICE_API_KEY. It creates the others.
provider "einvoice" {}

locals {
  # Excel begins a file with a byte order mark. An empty cell is null, and never "".
  companies = {
    for row in csvdecode(trimprefix(file("${path.module}/companies.csv"), "\ufeff")) :
    row.federal_tax_number => { for column, cell in row : column => trimspace(cell) == "" ? null : trimspace(cell) }
  }
}

resource "einvoice_company" "each" {
  for_each = local.companies

  name               = each.value.name
  legal_name         = each.value.legal_name
  federal_tax_number = each.key
  state_tax_number   = each.value.state_tax_number
  city_tax_number    = each.value.city_tax_number
  tax_regime         = each.value.tax_regime

  address = {
    street      = each.value.street
    number      = each.value.number
    district    = each.value.district
    postal_code = each.value.postal_code
    city        = { code = each.value.city_code }
  }

  deletion_protection = var.deletion_protection
}

# Certificates and secrets: see the module company-onboarding. At the service, a model without an environment is in
# production: name that of each.
resource "einvoice_company_settings" "each" {
  for_each = einvoice_company.each

  company_id       = each.value.id
  product_invoice  = { environment_type = "development" }
  consumer_invoice = { environment_type = "development" }
  service_invoice  = { environment_type = "simulation" }
}

# Each company issues with its own key.
provider "einvoice" {
  alias        = "issuing"
  company_keys = { for number, company in einvoice_company.each : number => company.api_key }
  environments = ["development", "simulation"]
}

module "invoices" {
  source    = "../modules/monthly-invoices"
  providers = { einvoice = einvoice.issuing }

  books                = "silva"
  month                = var.month
  csv                  = sensitive(file("${path.module}/contracts.csv")) # Its column issuer names the company.
  expected_total       = 14101.24
  federal_service_code = "17.01"

  depends_on = [einvoice_company_settings.each]
}

# What each company has at the service for the month, whoever issued it: by the date of
# issue, so that what is issued a month late counts in the month after.
data "einvoice_invoice_totals" "month" {
  for_each = local.companies
  provider = einvoice.issuing

  issuer = each.key
  model  = "serviceInvoice"
  month  = var.month

  depends_on = [module.invoices]
}
