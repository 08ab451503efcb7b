# One city, and how to issue there.
data "einvoice_service_cities" "curitiba" {
  code = "4106902"
}

# All cities of a state.
data "einvoice_service_cities" "sao_paulo" {
  state = "SP"
}

locals {
  curitiba = one(data.einvoice_service_cities.curitiba.cities)
}

output "curitiba" {
  value = {
    served            = local.curitiba != null
    logs_in_with      = try(jsondecode(local.curitiba.provider_options_json).authentication, null)
    national_for_meis = try(length(setintersection(local.curitiba.national_service_invoice_regimes, ["all", "mei"])) > 0, false)
  }
}

output "served_in_sao_paulo" {
  value = data.einvoice_service_cities.sao_paulo.cities[*].name
}
