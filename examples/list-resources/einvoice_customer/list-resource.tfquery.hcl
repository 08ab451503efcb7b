# terraform query -generate-config-out=customers.tf
list "einvoice_customer" "all" {
  provider = einvoice
  limit    = 1000
}
