# All blocks

resource "einvoice_company" "branch" {
  name                = "Padaria Central Filial"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}

# The provider manages what is configured. Everything else stays unchanged.
resource "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id

  general = {
    decimal_precision = 2
    technical_responsible = {
      federal_tax_number = "11.222.333/0001-81"
      contact_name       = "Maria Silva"
      email              = "suporte@example.com"
      phone              = "(11) 91234-5678"
    }
  }

  product_invoice = {
    series           = "1"
    next_number      = 1 # A minimum: the service raises it with each invoice.
    environment_type = "development"
  }

  consumer_invoice = {
    environment_type          = "development"
    token_id                  = "000001"
    csc                       = "A1B2C3D4-0000-1111-2222-333344445555" # In state. To avoid this, use secrets.csc_wo.
    allow_offline_contingency = true
  }

  service_invoice = {
    environment_type = "simulation" # The service transmits nothing: the numbers are examples.
    issue_type       = "annfs"      # The national environment.
  }
}
