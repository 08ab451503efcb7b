data "einvoice_products" "all" {}

# Products without a price.
output "without_price" {
  value = [for product in data.einvoice_products.all.products : product.code if product.price == null]
}
