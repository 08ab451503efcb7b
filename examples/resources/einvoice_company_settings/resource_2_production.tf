# From simulation to production

# An invoice in production is legally valid, even in a test account. The plan that
# makes the change warns.
variable "environment" {
  type    = string
  default = "simulation"

  validation {
    condition     = contains(["simulation", "development", "production"], var.environment)
    error_message = "The environment is simulation, development or production."
  }
}

resource "einvoice_company" "studio" {
  name                = "Estúdio Central"
  legal_name          = "Estúdio Central Ltda"
  federal_tax_number  = "45.997.418/0001-53"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

resource "einvoice_company_settings" "studio" {
  company_id = einvoice_company.studio.id

  service_invoice = {
    environment_type = var.environment
    series           = "1"
    next_number      = 1
  }
}
