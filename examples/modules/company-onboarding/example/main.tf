terraform {
  required_version = ">= 1.11"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The account. Its address and its main company's key come from the environment:
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
provider "einvoice" {}

module "branch" {
  source = "../"

  company = {
    name                = "Padaria Central"
    legal_name          = "Padaria Central Ltda"
    federal_tax_number  = "11.222.333/0001-81"
    state_tax_number    = "110.042.490.114"
    city_tax_number     = "1234567"
    email               = "fiscal@example.com"
    tax_regime          = "simplesNacional"
    economic_activities = [{ code = "1091102", type = "main" }]
    address = {
      street      = "Avenida Paulista"
      number      = "1000"
      district    = "Bela Vista"
      postal_code = "01310-100"
      city_code   = "3550308"
    }
  }

  product_invoice  = {}
  consumer_invoice = { token_id = "000001", allow_offline_contingency = true }
  service_invoice  = {} # Most cities have no test environment: simulation is the default.

  csc         = var.csc
  csc_version = "1"

  certificate_pfx_base64 = var.certificate
  certificate_password   = var.certificate_password
  certificate_version    = "2026"

  webhooks = {
    "invoice.authorized" = "https://example.com/einvoice"
    "invoice.rejected"   = "https://example.com/einvoice"
  }

  key_handover = var.key_handover
  key_file     = var.key_file
  key_command  = var.key_command

  # You can destroy this company again.
  deletion_protection = false
}

variable "csc" {
  description = "TF_VAR_csc, or an ephemeral resource of a secret store."
  type        = string
  ephemeral   = true
  default     = "0A1B2C3D-E4F5-6789-ABCD-EF0123456789" # Opens nothing.
}

variable "certificate" {
  description = "TF_VAR_certificate=$(base64 < certificate.pfx), or an ephemeral resource of a secret store."
  type        = string
  ephemeral   = true

  # Made for this example. The sandbox accepts it until 2046.
  default = "MIID4gIBAzCCA5IGCSqGSIb3DQEHAaCCA4MEggN/MIIDezCCAioGCSqGSIb3DQEHBqCCAhswggIXAgEAMIICEAYJKoZIhvcNAQcBMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBAIot9UesDb3D2V5qW6PDENAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ1B4S2Pi3IE67BG+EtQ98iYCCAaAGEFNXX7/LJwTMPkmy5EpQHQwNYng6EBezKGDjjjJyXf5wOpGzp6mcAJs0mcCftWLAorciCsTU7JgqsGiumOyWM+XkKN4a0wb8Ws2heeVe9ILf/8kElY8C4pVxsuuDAB7QAm9obr7DtkTgEAJU1yAcZIuMQ0xq41nBM63magbRTXzVp2N7icgYURe5Jh4IGU0xZFpH1XorL4Ejn0e98DFNqIKp6UKWKQTPyviP8qxnMDMo2Hk1UUNyq6FrPcqTQ3M67CHYS6XvvfyrysbeUaKCkjoEJcRMyZTuzRQ23821y09RC0a5AGclRxMtRdbFAHFAmWmajTtY9FuLss/fruD8k9izM1uQj9Qz6femwkw2tCW/SnNxTWiK1o8MsWCSkDxLIJ9jOszwCuX88lxGnxHWoSd+VyszT59ZeErwI+Nv/kzHI0mc7id9KwqEWwznNvOcEjFGhcUVzjub66GAHpD71MivPnMo0tgFhVPN3eOzCYzQTwfBTRiHayyiuNsvlPDL1CDV5T/CS7lFyMFv5XSD9ByDmYau6r6ANpQ1ItpcTTCCAUkGCSqGSIb3DQEHAaCCAToEggE2MIIBMjCCAS4GCyqGSIb3DQEMCgECoIH3MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBDuNgoH6zPO8q2IjUixPY3ZAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQl/XvBrg9fnLXYSaf6E66tQSBkPbhME9mH1mCY/kHBgZ7SpjUaX4yuboB/uTbTChW5ddxw2C1jSJiF1jvLiBQ8hoRKtgW2uBKGwpF0dI6z80YhPsLklxrCoe/Li8ZEBkvsWCgvbYzu6VXih2ZFg9Houc+P3NAk55n5f7/i/vD/rcnFfQzSb83QPpdSVBy8p+Cy75OPgODXt6RJ5UxF+hJql3vQTElMCMGCSqGSIb3DQEJFTEWBBSZ40fNccz1VALd7Z8llfOyhAksuzBHMC8wCwYJYIZIAWUDBAIBBCBkgEJNren9+dtdWRpDUalcCkYa7gAZncK8Dp535kN5TwQQZtu6q6SjflJtZYDIOdIg8AICCAA="
}

variable "certificate_password" {
  description = "The password of the certificate file."
  type        = string
  ephemeral   = true
  default     = "of the file"
}

variable "key_handover" {
  description = "Where the branch's key goes: output, file, command or none."
  type        = string
  default     = "output"
}

variable "key_file" {
  description = "With key_handover = \"file\"."
  type        = string
  default     = "branch.key"
}

variable "key_command" {
  description = "With key_handover = \"command\". The default is the command of one secret store. Others have a similar one."
  type        = string
  default     = "printf %s \"$COMPANY_API_KEY\" | vault kv put secret/einvoice/$COMPANY_ID api_key=-"
}

output "branch" {
  description = "The branch: its id, where it issues, and how long its certificate lasts."
  value = {
    id                     = module.branch.company_id
    environments           = module.branch.environments
    certificate_expires_at = module.branch.certificate_expires_at
  }
}

output "branch_key" {
  description = "The branch's key, where it is handed over as an output."
  value       = module.branch.api_key
  sensitive   = true
}
