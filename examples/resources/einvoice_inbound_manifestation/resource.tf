# The NF-e that were issued to the company since November 1.
data "einvoice_inbound_invoices" "ours" {
  issued_from = "2026-11-01"
}

# A legal event: the company knows of the operation. Set `status` to "confirmed"
# once the goods have arrived.
resource "einvoice_inbound_manifestation" "received" {
  for_each = toset(data.einvoice_inbound_invoices.ours.invoices[*].id)

  invoice_id = each.value
  status     = "acknowledged"
}

# `notPerformed` needs a reason.
variable "refused" {
  description = "Ids of NF-e whose goods were sent back."
  type        = set(string)
  default     = []
}

resource "einvoice_inbound_manifestation" "refused" {
  for_each = var.refused

  invoice_id    = each.value
  status        = "notPerformed"
  justification = "A mercadoria foi recusada na entrega."
}
