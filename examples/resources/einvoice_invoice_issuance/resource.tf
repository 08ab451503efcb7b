# The issuer is the company whose key the provider works with.
resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-consulting" # Names this invoice for good, in your books.

  # The issuing body in the service's own field names.
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

  # Running out of time loses nothing: the next apply goes on waiting.
  timeouts = { create = "5m" }

  # With a reason, destroying cancels the invoice instead of forgetting it. Then
  # guard it: -replace and taint would cancel it without a warning.
  #
  #   cancellation_reason = "Issued twice by mistake"
  #   lifecycle { prevent_destroy = true }

  lifecycle {
    postcondition {
      condition     = contains(["authorized", "canceled"], self.status)
      error_message = "The invoice is ${self.status}, not authorized."
    }
  }
}

# A draft: nothing is sent to the authority until `issue` is true.
resource "einvoice_invoice_issuance" "december" {
  model          = "serviceInvoice"
  integration_id = "2026-12-consulting"
  issue          = false

  payload_json = jsonencode({
    description        = "Consultoria, dezembro de 2026"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 1500.00 }
  })

  lifecycle {
    postcondition {
      condition     = contains(["created", "authorized", "canceled"], self.status)
      error_message = "The invoice is ${self.status}."
    }
  }
}
