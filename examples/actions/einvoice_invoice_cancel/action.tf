variable "canceled_invoice_id" {
  type    = string
  default = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
}

# terraform apply -invoke=action.einvoice_invoice_cancel.mistake -var canceled_invoice_id=...
action "einvoice_invoice_cancel" "mistake" {
  config {
    model  = "productInvoice"
    id     = var.canceled_invoice_id
    reason = "Pedido cancelado pelo cliente antes da entrega."
  }
}
