output "totals" {
  description = "What each company has billed, to the cent."
  value       = { for number, totals in data.einvoice_invoice_totals.november : number => totals.by_status["authorized"].amount }
}

output "november_csv" {
  description = "The month for the accountant: terraform output -raw november_csv > novembro.csv"
  value       = module.november.csv
}

locals {
  documents = merge([
    for reference, invoice in module.november.invoices : {
      for format in ["pdf", "xml"] : "${reference}.${format}" => { format = format, id = invoice.id, issuer = invoice.issuer }
    } if var.documents
  ]...)
}

data "einvoice_invoice_document" "november" {
  for_each = local.documents
  provider = einvoice.issuing

  model  = "serviceInvoice"
  issuer = each.value.issuer
  id     = each.value.id
  format = each.value.format
}

# A line for each file: its name, and its bytes in base64.
output "documents" {
  description = "The documents of the month, for save-documents.sh."
  sensitive   = true # A plan would print them.
  value       = join("", [for name, document in data.einvoice_invoice_document.november : "${name} ${document.content_base64}\n"])
}
