data "einvoice_customers" "all" {}

# Customers without an e-mail address.
output "without_email" {
  value = [for customer in data.einvoice_customers.all.customers : customer.name if customer.email == null]
}
