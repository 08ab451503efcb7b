resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-training"

  payload_json = jsonencode({
    description        = "Treinamento, novembro de 2026"
    federalServiceCode = "8.02"
    taxationType       = "taxationInMunicipality"
    receiver = {
      name             = "Padaria Central Ltda"
      federalTaxNumber = "11222333000181"
      address          = { city = { code = 3550308 } }
    }
    total = { invoiceAmount = 900.00 }
  })
}

# By its identifier.
data "einvoice_invoice" "by_id" {
  model = "serviceInvoice"
  id    = einvoice_invoice_issuance.november.id
}

# By its name in your books.
data "einvoice_invoice" "by_integration_id" {
  model          = "serviceInvoice"
  integration_id = "2026-11-training"

  depends_on = [einvoice_invoice_issuance.november]
}

# Fields without an attribute are in raw_json.
output "description" {
  value = jsondecode(data.einvoice_invoice.by_integration_id.raw_json).description
}
