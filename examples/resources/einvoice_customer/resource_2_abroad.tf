# A customer abroad

resource "einvoice_customer" "studio" {
  name               = "Estúdio Lisboa"
  federal_tax_number = "PT501234567"
  email              = "contas@example.com"

  address = {
    street    = "Rua Augusta"
    number    = "24"
    city_name = "Lisboa"
    country   = { code = 6076, name = "Portugal" }
  }
}
