resource "einvoice_invoice_issuance" "sale" {
  model          = "productInvoice"
  integration_id = "sale-2026-0101"

  payload_json = jsonencode({
    operationNature = "Venda de mercadoria"
    isFinalCustomer = true
    destination     = "internal"
    presenceType    = "presence"
    receiver = {
      name             = "Padaria Central Ltda"
      federalTaxNumber = "11222333000181"
      address = {
        street     = "Rua das Flores"
        number     = "100"
        district   = "Centro"
        postalCode = "01310100"
        city       = { code = 3550308 }
      }
    }
    items = [{
      code          = "PAO-001"
      description   = "Pão francês"
      ncm           = "19059090"
      cfop          = 5102
      unit          = "UN"
      quantity      = 10
      unitAmount    = 1.99
      totalAmount   = 19.90
      unitTax       = "UN"
      quantityTax   = 10
      unitTaxAmount = 1.99
      makeupTotal   = true
      taxes = {
        icms   = { origin = "0", cst = "40" }
        pis    = { cst = "07" }
        cofins = { cst = "07" }
        ibsCbs = { cst = 0, classification = 1 } # 000 and 000001, owed since 2026. The service's specification does not show these names.
      }
    }]
    payments = [{ method = "pix", amount = 19.90 }]
  })
}

# Creating this sends the letter once. It cannot correct values, taxes, dates or the
# receiver.
resource "einvoice_correction_letter" "volume" {
  invoice_id = einvoice_invoice_issuance.sale.id
  letter     = "Onde se lê 1 volume, leia-se 2 volumes, com peso bruto de 1,5 kg."
}
