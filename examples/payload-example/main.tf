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

# A city receives service invoices in its own system, in the national environment,
# or, for some tax regimes, in the national one instead of its own.
data "einvoice_service_cities" "city" {
  code = var.city_code
}

data "einvoice_payload_examples" "city" {
  city_code = var.city_code
}

locals {
  adopted  = try(data.einvoice_service_cities.city.cities[0].national_service_invoice_regimes, null)
  regimes  = [for regime in local.adopted == null ? [] : local.adopted : lower(regime)]
  national = contains(local.regimes, "all") || contains(local.regimes, lower(var.tax_regime))

  # A city may have no example. The payload is then only the code of the list of
  # services and what is merged below.
  examples = [
    for example in data.einvoice_payload_examples.city.examples : jsondecode(example.body_json)
    if(example.provider == "national") == local.national
  ]

  # Removes what describes the example itself, and the numbers, so that the service
  # continues its own numbering.
  example = {
    for name, value in try(local.examples[0], { federalServiceCode = var.federal_service_code }) : name => value
    if !contains(["provider", "sourceIssuedOn", "rpsNumber", "rpsSeries", "batchNumber"], name)
  }
}

resource "einvoice_invoice_issuance" "service" {
  model          = "serviceInvoice"
  integration_id = var.integration_id

  # The codes come from the example, in the form that the city accepts. merge()
  # replaces whole objects: nothing of the example's receiver or total stays.
  payload_json = jsonencode(merge(local.example, {
    description = var.description
    receiver    = var.receiver
    total       = { invoiceAmount = var.amount }
  }))

  lifecycle {
    # An example may change at the service. An issued invoice cannot.
    ignore_changes = [payload_json]
  }
}

output "invoice" {
  value = {
    environment = local.national ? "national" : "municipal"
    number      = einvoice_invoice_issuance.service.number
    status      = einvoice_invoice_issuance.service.status
  }
}
