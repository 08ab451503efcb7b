output "totals" {
  description = "What each company has billed, to the cent."
  value       = { for number, totals in data.einvoice_invoice_totals.month : number => totals.by_status["authorized"].amount }
}

locals {
  next_month = formatdate("YYYY-MM", timeadd("${var.month}-01T00:00:00Z", "744h"))
}

# What the service has, so that it also shows what was canceled and has left the state.
data "einvoice_invoices" "month" {
  for_each = local.companies
  provider = einvoice.issuing

  issuer               = each.key
  model                = "serviceInvoice"
  effective_date_start = "${var.month}-01"
  effective_date_end   = "${local.next_month}-01T00:00:00"
  statuses             = ["authorized", "canceled"]

  depends_on = [module.invoices]
}

# As Excel in Portuguese opens it: a byte order mark, semicolons, and a comma before the cents.
output "month_csv" {
  description = "What was issued and canceled in the month, for the accountant: terraform output -raw month_csv >mes.csv"
  value = join("", ["\ufeff"], [for line in concat(
    [["emitente", "referencia", "tomador", "cpf_cnpj_tomador", "numero", "situacao", "valor"]],
    [for row in flatten([for issuer, list in data.einvoice_invoices.month : [for invoice in list.invoices : merge(invoice, { issuer = issuer })]]) : [
      row.issuer, row.integration_id, row.receiver.name, row.receiver.federal_tax_number,
      row.number, row.status == "canceled" ? "cancelada" : "autorizada", replace(format("%.2f", row.amount), ".", ","),
    ]],
  ) : "${join(";", [for cell in line : "\"${replace(cell == null ? "" : cell, "\"", "\"\"")}\""])}\n"])
}

locals {
  documents = merge([
    for reference, invoice in module.invoices.invoices : {
      for format in ["pdf", "xml"] : "${reference}.${format}" => { format = format, id = invoice.id, issuer = invoice.issuer }
    } if var.documents
  ]...)
}

data "einvoice_invoice_document" "month" {
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
  value       = join("", [for name, document in data.einvoice_invoice_document.month : "${name} ${document.content_base64}\n"])
}
