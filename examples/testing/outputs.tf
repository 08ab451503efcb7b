output "invoices" {
  description = "The invoice of each sale."
  value = {
    for id, invoice in einvoice_invoice_issuance.sale : id => {
      number     = invoice.number
      access_key = invoice.access_key
    }
  }
}

output "total" {
  description = "What the sales add up to, in reais."
  value       = sum(concat([0], values(local.totals)))
}
