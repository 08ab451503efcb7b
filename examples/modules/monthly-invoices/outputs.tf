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
