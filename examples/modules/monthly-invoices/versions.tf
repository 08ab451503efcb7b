terraform {
  # For functions of providers.
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = ">= 0.1.0"
    }
  }
}
