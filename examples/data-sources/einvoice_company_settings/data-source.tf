resource "einvoice_company" "branch" {
  name                = "Padaria Central Filial"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

data "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id
}

# The current number: the service raises it with each invoice.
output "next_service_invoice_number" {
  value = data.einvoice_company_settings.branch.service_invoice.next_number
}
