# The service invoices (NFS-e) of a month, one for each row of a CSV file.

locals {
  # An empty cell is a value that is left out: null, and never "".
  rows = {
    for row in csvdecode(local.csv) : row.reference => { for column, cell in row : column => trimspace(cell) == "" ? null : trimspace(cell) }
  }
  # Excel begins a file with a byte order mark, which would be a part of the first column's name.
  csv = nonsensitive(trimprefix(var.csv, "\ufeff"))
  # The variable refuses values that are not numbers, with a better message.
  amounts = { for reference, row in local.rows : reference => try(tonumber(row.amount), 0) }
  # A sum of decimals is off in its last digits: 14101.2399... is not 14101.24.
  total = tonumber(format("%.2f", sum(concat([0], values(local.amounts)))))
}

resource "einvoice_invoice_issuance" "row" {
  for_each = local.rows

  model  = "serviceInvoice"
  issuer = try(coalesce(each.value.issuer, var.issuer), var.issuer)

  # The same parts give the same name on every machine, so that a run that has lost its
  # state finds the invoice again.
  integration_id = provider::einvoice::integration_id(var.books, var.month, each.key)

  # Set it, apply, and then delete the row: only this cancels the invoice.
  cancellation_reason = try(each.value.cancellation_reason, null)

  # Leaves out what is null, and the punctuation of tax numbers and postal codes.
  payload_json = provider::einvoice::payload("serviceInvoice", {
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
        city       = { code = each.value.city_code }
      }
    }
    total = { invoiceAmount = local.amounts[each.key] }
  })
}
