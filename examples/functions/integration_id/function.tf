# The same parts give the same identifier, on every machine and in every
# version, so the sale is found again by it and never issued twice.
output "integration_id" {
  value = provider::einvoice::integration_id("store 12", "2026", "sale/000123")
}
