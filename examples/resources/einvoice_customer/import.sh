# By id.
terraform import einvoice_customer.bakery 7c9e6679-7425-40de-944b-e07fc1f90ae7

# By tax number, in any spelling: reads the list of customers.
terraform import einvoice_customer.bakery federal_tax_number=11.222.333/0001-81
