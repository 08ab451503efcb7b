data "einvoice_orders" "all" {}

# Paid sales without an invoice.
output "to_issue" {
  value = [
    for order in data.einvoice_orders.all.orders : order.transaction_id
    if order.status == "approved" && try(length(order.invoices), 0) == 0
  ]
}
