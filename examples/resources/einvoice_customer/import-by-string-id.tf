import {
  to = einvoice_customer.bakery
  id = "federal_tax_number=11.222.333/0001-81" # or the id of the customer
}
