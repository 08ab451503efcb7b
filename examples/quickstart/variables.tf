variable "token_id" {
  description = "Identifier of the taxpayer's security code (CSC), from the state's tax authority."
  type        = string
  default     = "000001"
}

variable "csc" {
  description = "The taxpayer's security code (CSC). The default opens nothing."
  type        = string
  sensitive   = true
  default     = "0A1B2C3D-E4F5-6789-ABCD-EF0123456789"
}

variable "branch_key" {
  description = "Key of the branch, needed only where einvoice_company.branch has none, as after an import."
  type        = string
  sensitive   = true
  default     = null
}

variable "webhook_url" {
  description = "Where authorized invoices are reported."
  type        = string
  default     = "https://example.com/einvoice"
}
