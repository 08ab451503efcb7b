# Everything that the interface has for issued invoices, in two steps.

locals {
  models = toset(["serviceInvoice", "productInvoice", "consumerInvoice"])

  payloads = {
    serviceInvoice = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 10 } })
    productInvoice = jsonencode(merge(local.sale, {
      receiver = {
        name             = "Maria"
        federalTaxNumber = "52998224725"
        address          = { street = "Rua das Flores", number = "100", district = "Centro", city = { code = 3550308 } }
      }
    }))
    consumerInvoice = jsonencode(local.sale)
  }

  sale = {
    operationNature = "Venda"
    isFinalCustomer = true
    presenceType    = "presence"
    items = [{
      code          = "P-1"
      description   = "Pão francês"
      ncm           = "19059090"
      cfop          = 5102
      unit          = "UN"
      quantity      = 4
      unitAmount    = 2.5
      totalAmount   = 10
      unitTax       = "UN"
      quantityTax   = 4
      unitTaxAmount = 2.5
      makeupTotal   = true
      taxes         = { icms = { origin = "0", cst = "40" }, pis = { cst = "07" }, cofins = { cst = "07" }, ibsCbs = { cst = "000", classification = "000001" } }
    }]
    payments = [{ method = "pix", amount = 10 }]
    total    = { invoiceAmount = 10 }
  }
}

# Issued in a run, and canceled by destroying.
resource "einvoice_invoice_issuance" "new" {
  for_each = local.models

  model               = each.value
  integration_id      = "new-${each.value}"
  payload_json        = local.payloads[each.value]
  cancellation_reason = "Issued to cover the interface"

  depends_on = [einvoice_company_settings.main]
}

# A draft that is issued: the service makes them of service invoices.
resource "einvoice_invoice_issuance" "draft" {
  for_each = toset(["serviceInvoice"])

  model          = each.value
  integration_id = "draft-${each.value}"
  payload_json   = local.payloads[each.value]
  issue          = var.step == 2

  depends_on = [einvoice_company_settings.main]
}

# There already, as rejected: the authority is asked about it.
resource "einvoice_invoice_issuance" "rejected" {
  for_each = local.models

  model          = each.value
  integration_id = "rejected-${each.value}"
  payload_json   = local.payloads[each.value]

  depends_on = [einvoice_company_settings.main]
}

resource "einvoice_correction_letter" "volume" {
  invoice_id = einvoice_invoice_issuance.new["productInvoice"].id
  letter     = "Onde se lê 1 volume, leia-se 2 volumes."
}

# One order in each mode. Those that issue nothing by themselves are asked to in the second step.
resource "einvoice_order" "mode" {
  for_each = toset(["immediately", "afterPayment", "afterWarrency", "disabled"])

  transaction_id         = "order-${each.value}"
  auto_issue_mode        = each.value
  date                   = "2026-11-20T10:00:00-03:00"
  status                 = each.value == "afterPayment" && var.step == 2 ? "approved" : "created"
  payment_method         = "pix"
  warranty_date          = "2030-01-01"
  send_email_to_customer = true
  issue_invoices         = each.value == "disabled" && var.step == 2
  amount                 = 27
  freight_amount         = 10
  discount_amount        = 1

  customer = {
    name               = "Café da Esquina"
    legal_name         = "Café da Esquina Ltda"
    state_tax_number   = "110042490114"
    federal_tax_number = "45.997.418/0001-53"
    email              = "fiscal@cafe.example"
    address            = local.address
  }

  items = [{
    quantity        = 2
    price           = 9.5
    discount_amount = 1
    freight_amount  = 1
    amount          = 18
    product         = { code = "PAO-001", name = "Pão francês", price = 9.5, invoice_model = "productInvoice" }
  }]

  depends_on = [einvoice_company_settings.main]
}

data "einvoice_invoice" "new" {
  for_each = local.models

  model = each.value
  id    = einvoice_invoice_issuance.new[each.value].id
}

# There already, with every field.
data "einvoice_invoice" "full" {
  for_each = local.models

  model          = each.value
  integration_id = "full-${each.value}"
}

data "einvoice_invoices" "all" {
  for_each = local.models

  model      = each.value
  depends_on = [einvoice_invoice_issuance.new]
}

data "einvoice_invoice_document" "new" {
  for_each = { for pair in setproduct(local.models, ["pdf", "xml"]) : join("-", pair) => pair }

  model  = each.value[0]
  id     = einvoice_invoice_issuance.new[each.value[0]].id
  format = each.value[1]
}

data "einvoice_disablements" "all" {}

data "einvoice_service_cities" "all" {}

data "einvoice_payload_examples" "city" {
  city_code = "3550308"
}

data "einvoice_invoice_totals" "month" {
  for_each = local.models

  model = each.value
  month = "2026-11"
}

data "einvoice_numbering" "month" {
  for_each = local.models

  model            = each.value
  series           = "1"
  month            = "2026-11"
  environment_type = "production"
}

data "einvoice_order" "mode" {
  for_each = einvoice_order.mode

  id = each.value.id
}

data "einvoice_orders" "all" {
  depends_on = [einvoice_order.mode]
}
