data "einvoice_inbound_sync_status" "company" {}

output "inbound" {
  value = data.einvoice_inbound_sync_status.company.advice
}

# A warning in every plan and apply while something is wrong.
check "inbound" {
  assert {
    condition     = data.einvoice_inbound_sync_status.company.healthy
    error_message = data.einvoice_inbound_sync_status.company.advice
  }
}
