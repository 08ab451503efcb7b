resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-support"

  payload_json = jsonencode({
    description        = "Suporte técnico, novembro de 2026"
    federalServiceCode = "1.07"
    taxationType       = "taxationInMunicipality"
    receiver = {
      name             = "Padaria Central Ltda"
      federalTaxNumber = "11222333000181"
      address          = { city = { code = 3550308 } }
    }
    total = { invoiceAmount = 900.00 }
  })
}

# The legally relevant document.
data "einvoice_invoice_document" "xml" {
  model  = "serviceInvoice"
  id     = einvoice_invoice_issuance.november.id
  format = "xml"
}

# The printed document. Save it byte for byte, for example by
# resource "local_file" { content_base64 = data.einvoice_invoice_document.pdf.content_base64 }.
data "einvoice_invoice_document" "pdf" {
  model  = "serviceInvoice"
  id     = einvoice_invoice_issuance.november.id
  format = "pdf"
}

output "xml_sha256" {
  value = sha256(data.einvoice_invoice_document.xml.content)
}

output "pdf_size" {
  value = length(data.einvoice_invoice_document.pdf.content_base64)
}
