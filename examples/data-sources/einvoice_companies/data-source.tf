data "einvoice_companies" "all" {}

# The identifier of each company by its tax number.
output "companies" {
  value = { for company in data.einvoice_companies.all.companies : company.federal_tax_number => company.id }
}
