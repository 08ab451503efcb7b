# terraform apply -invoke=action.einvoice_order_issue_invoices.sale
action "einvoice_order_issue_invoices" "sale" {
  config {
    order_id       = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    effective_date = "2026-11-30T10:00:00-03:00"
  }
}
