terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The account, with the main company's key. Both may come from the environment
# instead: EINVOICE_BASE_URL and EINVOICE_API_KEY.
provider "einvoice" {
  base_url = "https://host.example/v1"
  api_key  = var.api_key
}

# A branch that issues its own invoices, with its own key. It works in the same
# apply that creates the branch.
provider "einvoice" {
  alias    = "branch"
  base_url = "https://host.example/v1"
  api_key  = coalesce(var.branch_key, einvoice_company.branch.api_key)
}

# Many companies that issue: `issuer` of each object names its company. The keys come
# from companies that the first provider block manages.
provider "einvoice" {
  alias        = "issuing"
  base_url     = "https://host.example/v1"
  api_key      = var.api_key
  company_keys = { for c in einvoice_company.store : c.federal_tax_number => c.api_key }
}

resource "einvoice_company" "store" {
  for_each = { "11.444.777/0001-61" = "Loja Norte", "45.997.418/0001-53" = "Loja Sul" }

  name               = each.value
  legal_name         = "Lojas Ltda"
  federal_tax_number = each.key
  address            = { city = { name = "São Paulo", state = "SP" } }
}

resource "einvoice_invoice_issuance" "rent" {
  for_each = einvoice_company.store
  provider = einvoice.issuing

  issuer         = each.value.federal_tax_number
  model          = "serviceInvoice"
  integration_id = "2026-10-rent"
  payload_json = jsonencode({
    description        = "Locação, outubro de 2026"
    federalServiceCode = "3.03"
    total              = { invoiceAmount = 900 }
  })
}

resource "einvoice_company" "branch" {
  name               = "Padaria Central"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  address            = { city = { name = "São Paulo", state = "SP" } }
}

resource "einvoice_invoice_issuance" "october" {
  provider = einvoice.branch

  model          = "serviceInvoice"
  integration_id = "2026-10-consulting"
  payload_json = jsonencode({
    description        = "Consultoria, outubro de 2026"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 1500 }
  })
}

variable "api_key" {
  description = "Key of the main company."
  type        = string
  sensitive   = true
}

variable "branch_key" {
  description = "Key of the branch, needed only where einvoice_company.branch has none, as after an import."
  type        = string
  sensitive   = true
  default     = null
}
