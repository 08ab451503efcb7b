terraform {
  # For the certificate and the secrets, which are write-only.
  required_version = ">= 1.11"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = ">= 0.1.0"
    }
  }
}
