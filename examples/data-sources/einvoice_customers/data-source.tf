data "einvoice_customers" "all" {}

# Whom an invoice cannot be sent to by e-mail.
output "without_email" {
  value = [for customer in data.einvoice_customers.all.customers : customer.name if customer.email == null]
}
