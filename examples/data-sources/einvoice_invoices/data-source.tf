# What a customer was billed for services in November.
data "einvoice_invoices" "november" {
  model                       = "serviceInvoice"
  receiver_federal_tax_number = "11.222.333/0001-81"
  effective_date_start        = "2026-11-01"
  effective_date_end          = "2026-11-30"
  statuses                    = ["authorized"]
}

output "billed" {
  value = sum(concat([0], data.einvoice_invoices.november.invoices[*].amount))
}

# Rejected invoices and the reasons. At most 50.
data "einvoice_invoices" "rejected" {
  model    = "productInvoice"
  statuses = ["rejected", "denied"]
  limit    = 50
}

output "rejected" {
  value = {
    for invoice in data.einvoice_invoices.rejected.invoices : invoice.id => try(invoice.processing_detail.message, null)
  }
}
