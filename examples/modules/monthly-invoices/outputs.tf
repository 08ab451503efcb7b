output "invoices" {
  description = "The invoice of each row, by its reference."
  value = {
    for reference, invoice in einvoice_invoice_issuance.row : reference => {
      integration_id = invoice.integration_id
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
}
