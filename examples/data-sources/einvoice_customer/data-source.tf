resource "einvoice_customer" "bakery" {
  name               = "Padaria Central"
  federal_tax_number = "11.222.333/0001-81"
}

# By its identifier.
data "einvoice_customer" "by_id" {
  id = einvoice_customer.bakery.id
}

# By its tax number, with or without punctuation.
data "einvoice_customer" "by_tax_number" {
  federal_tax_number = "11222333000181"

  depends_on = [einvoice_customer.bakery]
}

output "customer_email" {
  value = data.einvoice_customer.by_tax_number.email
}
