data "einvoice_inbound_sync_status" "company" {}

output "inbound" {
  value = data.einvoice_inbound_sync_status.company.advice
}

# Warns in every plan and apply while something is wrong. A check never fails a run.
# To fail a pipeline, look at the result of the check in a saved plan:
#
#   terraform plan -out=tfplan
#   terraform show -json tfplan | jq -e 'all(.checks[]?; .status != "fail")'
#
# To fail the run itself, use a postcondition: see examples/inbound-certificate.
check "inbound" {
  assert {
    condition     = data.einvoice_inbound_sync_status.company.healthy
    error_message = data.einvoice_inbound_sync_status.company.advice
  }
}
