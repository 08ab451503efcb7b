# The service invoices (NFS-e) of a month, one for each row of a CSV file.

locals {
  rows = { for row in csvdecode(var.csv) : row.reference => row }
  # The variable refuses values that are not numbers, with a better message.
  amounts = { for reference, row in local.rows : reference => try(tonumber(row.amount), 0) }
  total   = tonumber(format("%.2f", sum(concat([0], values(local.amounts)))))
}

resource "einvoice_invoice_issuance" "row" {
  for_each = local.rows

  model  = "serviceInvoice"
  issuer = var.issuer

  # The same parts give the same name on every machine, so that a run that has lost its
  # state finds the invoice again.
  integration_id = provider::einvoice::integration_id(var.books, var.month, each.key)

  payload_json = jsonencode({
    description        = each.value.description
    federalServiceCode = var.federal_service_code
    taxationType       = var.taxation_type
    receiver = {
      name             = each.value.name
      federalTaxNumber = each.value.federal_tax_number
      email            = each.value.email
      address = {
        street     = each.value.street
        number     = each.value.number
        district   = each.value.district
        postalCode = each.value.postal_code
        city       = { code = try(tonumber(each.value.city_code), 0) }
      }
    }
    total = { invoiceAmount = local.amounts[each.key] }
  })

  lifecycle {
    # Checks the whole file once: the plan fails before anything is issued.
    precondition {
      condition     = each.key != keys(local.rows)[0] || local.total == coalesce(var.expected_total, local.total)
      error_message = "The file adds up to ${local.total}, and the books to ${coalesce(var.expected_total, local.total)}."
    }
  }
}
