data "einvoice_inbound_sync_status" "company" {}

output "inbound" {
  value = data.einvoice_inbound_sync_status.company.advice
}

# A warning in every plan and apply while something is wrong. A check never ends a
# run by itself. To end a pipeline with it, look at its result in a saved plan:
#
#   terraform plan -out=tfplan
#   terraform show -json tfplan | jq -e 'all(.checks[]?; .status != "fail")'
#
# To end the run itself, use a postcondition: see examples/inbound-certificate.
check "inbound" {
  assert {
    condition     = data.einvoice_inbound_sync_status.company.healthy
    error_message = data.einvoice_inbound_sync_status.company.advice
  }
}
