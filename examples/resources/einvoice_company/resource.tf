# A branch with a key of its own

resource "einvoice_company" "branch" {
  name               = "Padaria Central Filial"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "110.042.490.114"
  city_tax_number    = "1234567"
  email              = "fiscal@example.com"
  phone              = "(11) 91234-5678"
  tax_regime         = "simplesNacional"

  economic_activities = [
    { code = "1091102", type = "main" },
    { code = "4721102", type = "secondary" },
  ]

  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { code = "3550308" } # or { name = "São Paulo", state = "SP" }
  }

  # Deleting a company is irreversible and ends its API key. The default is true.
  # Before a destroy, set it to false and apply.
  deletion_protection = false
}

# The branch issues its own invoices, with its own key:
#
#   provider "einvoice" {
#     alias   = "branch"
#     api_key = coalesce(var.branch_key, einvoice_company.branch.api_key)
#   }
#
# The state contains the key in plain text: encrypt the state.
output "branch_api_key" {
  value     = einvoice_company.branch.api_key
  sensitive = true
}
