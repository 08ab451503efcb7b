# A company

resource "einvoice_customer" "bakery" {
  name               = "Padaria Central"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "110042490114" # Leave it out if the customer is no ICMS taxpayer.
  email              = "fiscal@example.com"
  phone              = "(11) 91234-5678"

  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { name = "São Paulo", state = "SP" } # or { code = "3550308" }
  }
}
