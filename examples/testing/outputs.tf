output "invoices" {
  description = "The invoice of each sale."
  value = {
    for id, invoice in einvoice_invoice_issuance.sale : id => {
      number     = invoice.number
      access_key = invoice.access_key
    }
  }

  # One error for all invoices. A rejection is already an error of the resource.
  precondition {
    condition     = alltrue([for sale in einvoice_invoice_issuance.sale : contains(["authorized", "canceled"], sale.status)])
    error_message = "Not every invoice is authorized."
  }
}

output "total" {
  description = "What the sales add up to, in reais."
  value       = sum(concat([0], values(local.totals)))
}
