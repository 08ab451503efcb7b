resource "einvoice_product" "bread" {
  name  = "Pão francês"
  code  = "PAO-001"
  price = 19.90
}

# By its identifier.
data "einvoice_product" "by_id" {
  id = einvoice_product.bread.id
}

# By its code.
data "einvoice_product" "by_code" {
  code = "PAO-001"

  depends_on = [einvoice_product.bread]
}

output "price" {
  value = data.einvoice_product.by_code.price
}
