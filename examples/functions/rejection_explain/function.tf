output "what_to_do" {
  value = provider::einvoice::rejection_explain("SPD004").action
}

output "rejected_by" {
  value = provider::einvoice::rejection_explain("539").origin # authority
}
