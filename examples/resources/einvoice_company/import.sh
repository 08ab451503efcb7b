# By id.
terraform import einvoice_company.branch 7c9e6679-7425-40de-944b-e07fc1f90ae7

# By tax number: reads the list of companies. After an import api_key is
# an empty string, because the service shows a key only once.
terraform import einvoice_company.branch federal_tax_number=11222333000181
