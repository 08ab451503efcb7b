# Everything that the interface shows of invoices issued against the company.

variable "received" {
  type = map(string) # An id by model.
}

data "einvoice_inbound_sync_status" "company" {}

data "einvoice_inbound_invoices" "all" {}

data "einvoice_inbound_invoice" "one" {
  for_each = var.received

  model = each.key
  id    = each.value
}

data "einvoice_inbound_invoice_document" "one" {
  for_each = { for pair in setproduct(values(var.received), ["pdf", "xml"]) : join("-", pair) => pair }

  id     = each.value[0]
  format = each.value[1]
}

resource "einvoice_inbound_manifestation" "one" {
  invoice_id    = var.received["productInvoice"]
  status        = "notPerformed"
  justification = "A mercadoria foi recusada na entrega."
}
