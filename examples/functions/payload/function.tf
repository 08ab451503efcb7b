variable "notes" {
  type    = string
  default = null # Left out of the payload then.
}

output "payload" {
  value = provider::einvoice::payload("serviceInvoice", {
    description           = "Consultoria, novembro de 2026"
    federalServiceCode    = "17.01"
    additionalInformation = var.notes
    # Or a whole einvoice_customer: receiver = einvoice_customer.cafe
    receiver = {
      name             = "Padaria Central Ltda"
      federalTaxNumber = "11.222.333/0001-81" # 11222333000181
      address = {
        street     = "Avenida Paulista"
        number     = "1000"
        district   = "Bela Vista"
        postalCode = "01310-100"          # 01310100
        city       = { code = "3550308" } # 3550308, a number
      }
    }
    total = { invoiceAmount = 1500.00 }
  })
}
