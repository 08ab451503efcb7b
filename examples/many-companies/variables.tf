variable "month" {
  description = "The month that is invoiced, such as \"2026-11\". Another month issues the contracts once more, for that month."
  type        = string
}

variable "deletion_protection" {
  description = "Whether destroying the companies is refused. Deleting a company ends its key, and cannot be undone."
  type        = bool
  default     = true
}

variable "documents" {
  description = "Whether this run reads the PDF and the XML of each authorized invoice, for save-documents.sh."
  type        = bool
  default     = false
}
