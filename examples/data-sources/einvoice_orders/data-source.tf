data "einvoice_orders" "all" {}

# What is paid and has no invoice yet.
output "to_issue" {
  value = [
    for order in data.einvoice_orders.all.orders : order.transaction_id
    if order.status == "approved" && try(length(order.invoices), 0) == 0
  ]
}
