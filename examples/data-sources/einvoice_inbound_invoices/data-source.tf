# Suppliers' invoices of November about which the company has declared nothing.
data "einvoice_inbound_invoices" "november" {
  statuses             = ["authorized"]
  manifestation_status = "none"
  environment_type     = "production"
  issued_from          = "2026-11-01"
  issued_to            = "2026-11-30"
}

output "to_answer" {
  value = {
    for invoice in data.einvoice_inbound_invoices.november.invoices :
    invoice.access_key => try(invoice.issuer.name, null)
  }
}

# One invoice, by its key.
data "einvoice_inbound_invoices" "one" {
  access_key = "3526 1111 2223 3300 0181 5500 1000 0001 0110 0000 0010"
}

output "is_complete" {
  value = one(data.einvoice_inbound_invoices.one.invoices[*].is_complete)
}
