data "einvoice_orders" "all" {}

# The sales that are paid, each with the numbers of its invoices. One sale by its
# identity in your books: transaction_id = "sale-2026-0001".
data "einvoice_order" "paid" {
  for_each = toset([for order in data.einvoice_orders.all.orders : order.id if order.status == "approved"])

  id = each.value
}

output "invoice_numbers" {
  value = { for order in data.einvoice_order.paid : order.transaction_id => order.invoices[*].number }
}
