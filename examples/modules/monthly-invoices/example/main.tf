terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The company that issues: its address and key come from the environment,
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
provider "einvoice" {}

module "november" {
  source = "../"

  books                = "silva"
  month                = "2026-11"
  csv                  = sensitive(file("${path.root}/2026-11.csv")) # Or errors print it.
  expected_total       = 2300.50
  federal_service_code = "17.01"
}

output "summary" {
  description = "The month."
  value       = module.november.summary
}

output "invoices" {
  description = "Its invoices, by their references."
  value       = module.november.invoices
}
