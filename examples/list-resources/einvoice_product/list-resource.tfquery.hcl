# terraform query -generate-config-out=products.tf
list "einvoice_product" "all" {
  provider         = einvoice
  include_resource = true
}
