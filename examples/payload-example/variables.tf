variable "city_code" {
  description = "IBGE code of the city where the company is registered."
  type        = string
  default     = "4106902" # Curitiba
}

variable "tax_regime" {
  description = "Tax regime of the company: mei, simplesNacional or regimeNormal."
  type        = string
  default     = "regimeNormal"
}

variable "federal_service_code" {
  description = "Item of the list of services (LC 116/2003), for a city without an example."
  type        = string
  default     = "1.07"
}

variable "integration_id" {
  description = "Permanent name of the invoice in your books."
  type        = string
  default     = "2026-11-support"
}

variable "description" {
  description = "What the invoice is for."
  type        = string
  default     = "Suporte técnico, novembro de 2026"
}

variable "amount" {
  description = "What the service costs, in reais."
  type        = number
  default     = 320.50
}

variable "receiver" {
  description = "Who receives the invoice, in the service's own field names."
  type        = any
  default = {
    name             = "Padaria Central Ltda"
    federalTaxNumber = "11222333000181"
    email            = "fiscal@example.com"
    address = {
      street     = "Avenida Paulista"
      number     = "1000"
      district   = "Bela Vista"
      postalCode = "01310100"
      city       = { code = 3550308 }
    }
  }
}
