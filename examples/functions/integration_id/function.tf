# The same parts give the same identifier, on every machine and in every version. So the
# provider finds the sale again, and never issues it twice.
output "integration_id" {
  value = provider::einvoice::integration_id("store 12", "2026", "sale/000123")
}
