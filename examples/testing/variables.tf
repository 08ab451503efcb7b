variable "sales" {
  description = "The items of each sale, by the permanent number of the sale."
  type        = map(list(object({ code = string, description = string, ncm = string, quantity = number, price = number })))

  validation {
    condition     = alltrue([for items in var.sales : length(items) > 0])
    error_message = "Each sale has one item or more."
  }

  validation {
    condition     = alltrue([for item in flatten(values(var.sales)) : item.quantity > 0 && item.price > 0])
    error_message = "Quantities and prices are greater than 0."
  }
}

variable "accept_contingency" {
  description = "Whether to accept an invoice in contingency. It is valid, but the authority has not authorized it yet."
  type        = bool
  default     = false
}
