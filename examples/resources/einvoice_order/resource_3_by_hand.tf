# A sale that is recorded now and issued later

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

resource "einvoice_order" "by_hand" {
  transaction_id  = "sale-2026-0003"
  auto_issue_mode = "disabled"
  issue_invoices  = false # Set true to issue what is not issued yet.
  amount          = 98.50

  # With a reason, destroy cancels all invoices, or none. Without one it only removes the
  # order from state.
  cancellation_reason = "Venda desfeita pelo cliente"

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
