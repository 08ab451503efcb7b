# Many companies, each with its own key

locals {
  branches = {
    "11.222.333/0002-62" = { name = "Padaria Central Pinheiros", city_code = "3550308" }
    "11.222.333/0003-43" = { name = "Padaria Central Campinas", city_code = "3509502" }
  }
}

resource "einvoice_company" "branch" {
  for_each = local.branches

  name                = each.value.name
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = each.key
  tax_regime          = "simplesNacional"
  address             = { city = { code = each.value.city_code } }
  deletion_protection = false # Only for companies that you want to destroy again.
}

# One provider configuration issues for all of them: `issuer` of an invoice says
# which company acts.
provider "einvoice" {
  alias        = "issuing"
  company_keys = { for branch in einvoice_company.branch : branch.federal_tax_number => branch.api_key }
}
