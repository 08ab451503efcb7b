# terraform query -generate-config-out=companies.tf
list "einvoice_company" "all" {
  provider = einvoice
}
