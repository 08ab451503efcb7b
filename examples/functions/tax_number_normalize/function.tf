variable "customer_tax_number" {
  type    = string
  default = "12.abc.345/01de-35"

  validation {
    condition     = can(provider::einvoice::tax_number_normalize(var.customer_tax_number))
    error_message = "Not a CPF or CNPJ."
  }
}

output "customer_tax_number" {
  value = provider::einvoice::tax_number_normalize(var.customer_tax_number) # 12ABC34501DE35
}
