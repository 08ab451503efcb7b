# Secrets outside the state

variable "csc" {
  type      = string
  ephemeral = true
  default   = "A1B2C3D4-0000-1111-2222-333344445555"
}

resource "einvoice_company" "shop" {
  name                = "Loja Central"
  legal_name          = "Loja Central Ltda"
  federal_tax_number  = "45.997.418/0001-53"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

resource "einvoice_company_settings" "shop" {
  company_id = einvoice_company.shop.id

  consumer_invoice = {
    environment_type = "development"
    token_id         = "000001"
  }

  # Needs Terraform 1.11 or OpenTofu 1.11.
  secrets = {
    csc_wo         = var.csc
    csc_wo_version = "2026" # A new value sends the secret again.
  }
}
