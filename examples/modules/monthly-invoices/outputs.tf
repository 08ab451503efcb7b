output "invoices" {
  description = "The invoice of each row, by its reference."
  value = {
    for reference, invoice in einvoice_invoice_issuance.row : reference => {
      id             = invoice.id
      integration_id = invoice.integration_id
      issuer         = invoice.issuer
      number         = invoice.number
      status         = invoice.status
      amount         = invoice.amount
    }
  }
}

output "csv" {
  description = "The month for the accountant, as Excel in Portuguese opens it: semicolons, and commas before the cents."
  value = join("", [for line in concat(
    [["emitente", "referencia", "tomador", "documento", "numero", "situacao", "valor"]],
    [for reference, invoice in einvoice_invoice_issuance.row : [
      invoice.issuer, reference, local.rows[reference].name, local.rows[reference].federal_tax_number,
      invoice.number, invoice.status, replace(format("%.2f", invoice.amount), ".", ","),
    ]],
  ) : "${join(";", [for cell in line : "\"${replace(cell == null ? "" : cell, "\"", "\"\"")}\""])}\n"])
}

output "summary" {
  description = "A summary of the month."
  value = {
    month      = var.month
    invoices   = length(local.rows)
    authorized = length([for invoice in einvoice_invoice_issuance.row : invoice if invoice.status == "authorized"])
    total      = local.total
  }

  # Checks the whole file: the plan fails before anything is issued.
  precondition {
    condition     = local.total == coalesce(var.expected_total, local.total)
    error_message = "The file adds up to ${local.total}, and the books to ${coalesce(var.expected_total, local.total)}."
  }
}
