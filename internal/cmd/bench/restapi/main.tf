# What Mastercard/restapi has to be told to manage customers of the service, for
#   make bench OTHER=path/to/terraform-provider-restapi OTHER_CONFIG=internal/cmd/bench/restapi
terraform {
  required_providers {
    restapi = {
      source = "Mastercard/restapi"
    }
  }
}

variable "base_url" {
  type = string
}

variable "api_key" {
  type      = string
  sensitive = true
}

variable "objects" {
  type = number
}

provider "restapi" {
  uri                   = var.base_url
  create_returns_object = true
  headers = {
    "X-Api-Key"    = var.api_key
    "Content-Type" = "application/json"
  }
}

resource "restapi_object" "test" {
  count                   = var.objects
  path                    = "/customers"
  ignore_server_additions = true
  data = jsonencode({
    name             = "Cliente ${count.index}"
    federalTaxNumber = "11222333000181"
    email            = "fiscal@cliente.example"
    address = {
      street     = "Rua Augusta"
      number     = "200"
      postalCode = "01304000"
      city       = { code = "3550308" }
    }
  })
}
