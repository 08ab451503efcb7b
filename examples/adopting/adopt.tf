# Adopts all customers of an account in one apply. Afterwards remove the import block,
# and write the customers that you want to manage into a map.
data "einvoice_customers" "all" {}

locals {
  customers = { for customer in data.einvoice_customers.all.customers : customer.id => customer }
}

import {
  for_each = local.customers
  to       = einvoice_customer.adopted[each.key]
  id       = each.key
}

resource "einvoice_customer" "adopted" {
  for_each = local.customers

  name               = each.value.name
  legal_name         = each.value.legal_name
  federal_tax_number = each.value.federal_tax_number
  state_tax_number   = each.value.state_tax_number
  city_tax_number    = each.value.city_tax_number
  email              = each.value.email
  phone              = each.value.phone
  mobile_phone       = each.value.mobile_phone
  address            = each.value.address
}
