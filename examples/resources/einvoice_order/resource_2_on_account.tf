# A sale on account, issued when it is paid

resource "einvoice_customer" "bakery" {
  name               = "Padaria Central"
  federal_tax_number = "11.222.333/0001-81"
}

resource "einvoice_product" "flour" {
  name          = "Farinha de trigo, 25 kg"
  code          = "FAR-025"
  price         = 98.50
  invoice_model = "productInvoice"
}

# The service issues when `status` becomes "approved".
resource "einvoice_order" "on_account" {
  transaction_id  = "sale-2026-0002"
  auto_issue_mode = "afterPayment"
  status          = "awaitingPayment"
  amount          = 98.50

  customer = {
    name               = einvoice_customer.bakery.name
    federal_tax_number = einvoice_customer.bakery.federal_tax_number
  }

  items = [{
    quantity = 1
    price    = einvoice_product.flour.price
    amount   = 98.50
    product  = { code = einvoice_product.flour.code, name = einvoice_product.flour.name }
  }]
}
