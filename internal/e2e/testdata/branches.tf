locals {
  branches = toset(["NUMBERS"])
}

resource "einvoice_company" "branch" {
  for_each            = local.branches
  name                = "branch"
  legal_name          = "branch"
  federal_tax_number  = each.key
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

resource "einvoice_company_settings" "branch" {
  for_each   = einvoice_company.branch
  company_id = each.value.id
  general    = { decimal_precision = 2 }
}

resource "einvoice_invoice_issuance" "first" {
  provider       = einvoice.issuing
  for_each       = einvoice_company.branch
  issuer         = each.value.federal_tax_number
  model          = "serviceInvoice"
  integration_id = "first-${each.value.federal_tax_number}"
  payload_json = jsonencode({
    description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 100 }
  })
  depends_on = [einvoice_company_settings.branch]
}
