import {
  to = einvoice_company.branch
  id = "federal_tax_number=11222333000181" # or the id of the company
}
