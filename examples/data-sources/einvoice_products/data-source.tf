data "einvoice_products" "all" {}

# Products that a sale cannot be priced with.
output "without_price" {
  value = [for product in data.einvoice_products.all.products : product.code if product.price == null]
}
