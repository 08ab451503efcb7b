resource "einvoice_product" "bread" {
  name          = "Pão francês"
  code          = "PAO-001"
  price         = 19.90
  invoice_model = "consumerInvoice"
}
