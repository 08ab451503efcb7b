# The sandbox begins with only its main company, which cannot issue NFC-e yet.

terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

data "einvoice_companies" "account" {}

resource "einvoice_company_settings" "main" {
  company_id = one(data.einvoice_companies.account.companies).id

  consumer_invoice = {
    environment_type          = "development"
    token_id                  = "000001"
    csc                       = "0A1B2C3D-E4F5-6789-ABCD-EF0123456789" # Opens nothing.
    allow_offline_contingency = true
  }
}
