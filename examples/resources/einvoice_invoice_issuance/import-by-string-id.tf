import {
  to = einvoice_invoice_issuance.november
  id = "serviceInvoice/integration_id=2026-11-consulting" # or serviceInvoice/ and the id of the invoice
}
