# A service invoice (NFS-e)

resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-consulting" # The permanent name of this invoice in your books.

  # The invoice in the service's own field names. The issuer is the company whose key
  # the provider uses.
  payload_json = jsonencode({
    description        = "Consultoria, novembro de 2026"
    federalServiceCode = "17.01"
    taxationType       = "taxationInMunicipality"
    receiver = {
      name             = "Padaria Central Ltda"
      federalTaxNumber = "11222333000181"
      email            = "fiscal@example.com"
      address = {
        street     = "Avenida Paulista"
        number     = "1000"
        district   = "Bela Vista"
        postalCode = "01310100"
        city       = { code = 3550308 }
      }
    }
    total = { invoiceAmount = 1500.00 }
  })

  # If the time runs out, nothing is lost: the next apply continues to wait.
  timeouts = { create = "5m" }
}
