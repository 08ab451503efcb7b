output "what_to_do" {
  value = provider::einvoice::rejection_explain("SPD004").action
}

# With the model: codes of SEFAZ explain NF-e and NFC-e only.
output "why" {
  value = provider::einvoice::rejection_explain("610", "productInvoice").cause
}

output "rejected_by" {
  value = provider::einvoice::rejection_explain("539").origin # authority
}
