variable "books" {
  description = "Names the books that the references belong to, such as the company. With the month and the reference it makes the integration_id, so it never changes."
  type        = string

  validation {
    condition     = length(trimspace(var.books)) > 0
    error_message = "books must not be blank."
  }
}

variable "issuer" {
  description = "Tax number of the company that issues the rows whose column issuer is empty or missing. Needed where the provider has company_keys; otherwise the owner of api_key issues."
  type        = string
  default     = null
}

variable "month" {
  description = "The month that is invoiced, such as \"2026-11\"."
  type        = string

  validation {
    condition     = can(regex("^20[0-9]{2}-(0[1-9]|1[0-2])$", var.month))
    error_message = "month is a year and a month such as \"2026-11\"."
  }
}

variable "csv" {
  description = "The invoices, with the columns reference, name, federal_tax_number, email, street, number, district, postal_code, city_code, description and amount. A reference names one invoice of the month; an amount has a point, such as 1500.00. An empty cell is left out of the invoice. Two columns may be missing: issuer, the tax number of the company that issues the row, and cancellation_reason."
  type        = string
  sensitive   = true # An error would print the customers of all rows.

  validation {
    condition     = !strcontains(split("\n", var.csv)[0], ";")
    error_message = "The columns of the CSV are separated by semicolons, as Excel in Portuguese writes them. Save it with commas, and amounts with a point."
  }

  validation {
    condition = can([
      for row in csvdecode(trimprefix(var.csv, "\ufeff")) : [
        row.reference, row.name, row.federal_tax_number, row.email, row.street, row.number, row.district, row.postal_code, row.city_code, row.description, row.amount,
      ]
    ])
    error_message = "A column of the CSV is missing: it has reference, name, federal_tax_number, email, street, number, district, postal_code, city_code, description and amount."
  }

  validation {
    condition     = try(length(distinct(csvdecode(trimprefix(var.csv, "\ufeff"))[*].reference)) == length(csvdecode(trimprefix(var.csv, "\ufeff"))), true)
    error_message = "Several rows have the same reference: ${try(join(", ", nonsensitive([for reference, rows in { for row in csvdecode(trimprefix(var.csv, "\ufeff")) : row.reference => row... } : reference if length(rows) > 1])), "")}. Each row needs its own."
  }

  validation {
    condition     = try(alltrue([for row in csvdecode(trimprefix(var.csv, "\ufeff")) : can(regex("^[0-9]+([.][0-9]{1,2})?$", row.amount)) && try(tonumber(row.amount), 0) > 0]), true)
    error_message = "The amount of ${try(join(", ", nonsensitive([for row in csvdecode(trimprefix(var.csv, "\ufeff")) : row.reference if !can(regex("^[0-9]+([.][0-9]{1,2})?$", row.amount)) || try(tonumber(row.amount), 0) <= 0])), "")} is not valid. It must be greater than 0, with a point before the cents, such as 1500.00."
  }

  validation {
    condition     = try(alltrue([for row in csvdecode(trimprefix(var.csv, "\ufeff")) : can(regex("^[0-9]{7}$", row.city_code))]), true)
    error_message = "The city_code of ${try(join(", ", nonsensitive([for row in csvdecode(trimprefix(var.csv, "\ufeff")) : row.reference if !can(regex("^[0-9]{7}$", row.city_code))])), "")} is not valid. It must be the IBGE code of the city, 7 digits such as 3550308 for São Paulo."
  }
}

variable "expected_total" {
  description = "What the month adds up to in your books, in reais. A file that adds up to something else issues nothing. Null expects nothing."
  type        = number
  default     = null
}

variable "federal_service_code" {
  description = "The service by the list of the complementary law 116/2003, such as \"17.01\"."
  type        = string
}

variable "taxation_type" {
  description = "How the service is taxed, in the service's own words."
  type        = string
  default     = "taxationInMunicipality"
}
