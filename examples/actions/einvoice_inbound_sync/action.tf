# terraform apply -invoke=action.einvoice_inbound_sync.now
action "einvoice_inbound_sync" "now" {
  config {
    wait    = true
    timeout = "30m"
  }
}
