# A sale whose invoice is issued at once

resource "einvoice_customer" "bakery" {
  name               = "Padaria Central"
  federal_tax_number = "11.222.333/0001-81"
  email              = "fiscal@example.com"
}

resource "einvoice_product" "flour" {
  name          = "Farinha de trigo, 25 kg"
  code          = "FAR-025"
  price         = 98.50
  invoice_model = "productInvoice"
}

resource "einvoice_order" "flour" {
  transaction_id = "sale-2026-0001" # The permanent name of this sale in your books.
  date           = "2026-11-20T10:00:00-03:00"
  payment_method = "pix"

  # Sum of the items' amounts + freight_amount - discount_amount.
  amount          = 505.00
  freight_amount  = 30.00
  discount_amount = 10.00

  customer = {
    name               = einvoice_customer.bakery.name
    federal_tax_number = einvoice_customer.bakery.federal_tax_number
    address = {
      street      = "Avenida Paulista"
      number      = "1000"
      district    = "Bela Vista"
      postal_code = "01310-100"
      city        = { code = "3550308" }
    }
  }

  items = [{
    quantity        = 5
    price           = einvoice_product.flour.price
    discount_amount = 7.50
    amount          = 485.00 # quantity x price - discount_amount
    product = {
      code          = einvoice_product.flour.code
      name          = einvoice_product.flour.name
      invoice_model = einvoice_product.flour.invoice_model
    }
  }]

  # If the time runs out, nothing is lost: the next apply continues to wait.
  timeouts = { create = "5m" }
}
