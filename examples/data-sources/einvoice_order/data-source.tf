data "einvoice_orders" "all" {}

# The paid sales, each with the numbers of its invoices. To read one sale by its name in
# your books, set transaction_id = "sale-2026-0001" instead of id.
data "einvoice_order" "paid" {
  for_each = toset([for order in data.einvoice_orders.all.orders : order.id if order.status == "approved"])

  id = each.value
}

output "invoice_numbers" {
  value = { for order in data.einvoice_order.paid : order.transaction_id => order.invoices[*].number }
}
