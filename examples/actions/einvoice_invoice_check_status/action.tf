# terraform apply -invoke=action.einvoice_invoice_check_status.stuck
action "einvoice_invoice_check_status" "stuck" {
  config {
    model = "serviceInvoice"
    id    = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
  }
}
