# Customers from a spreadsheet

locals {
  # Or csvdecode(file("customers.csv")). Spreadsheets drop leading zeros, and the plan
  # warns about that: format the column as text.
  customers = csvdecode(<<-CSV
    name,tax_number,email
    Padaria Central,11.222.333/0001-81,fiscal@padaria.example
    Café da Esquina,45.997.418/0001-53,
  CSV
  )
}

resource "einvoice_customer" "all" {
  for_each = { for row in local.customers : row.tax_number => row }

  name               = each.value.name
  federal_tax_number = each.value.tax_number
  email              = each.value.email != "" ? each.value.email : null # An empty cell is no e-mail.
}
