data "einvoice_inbound_invoices" "new" {
  manifestation_status = "none"
}

# terraform apply -invoke=action.einvoice_inbound_manifest.acknowledge
action "einvoice_inbound_manifest" "acknowledge" {
  for_each = { for invoice in data.einvoice_inbound_invoices.new.invoices : invoice.access_key => invoice }

  config {
    id     = each.value.id
    status = "acknowledged"
  }
}
