resource "einvoice_company" "branch" {
  name                = "Padaria Central Filial"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

data "einvoice_company" "by_id" {
  id = einvoice_company.branch.id
}

data "einvoice_company" "by_tax_number" {
  federal_tax_number = einvoice_company.branch.federal_tax_number
  depends_on         = [einvoice_company.branch]
}
