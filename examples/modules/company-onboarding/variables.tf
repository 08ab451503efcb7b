variable "company" {
  description = "The company's record. Numbers may be written with or without punctuation."
  type = object({
    name               = string
    legal_name         = string
    federal_tax_number = string
    state_tax_number   = optional(string)
    city_tax_number    = optional(string)
    email              = optional(string)
    phone              = optional(string)
    tax_regime         = optional(string)
    economic_activities = optional(list(object({
      code = string
      type = string
    })))
    address = object({
      street                 = string
      number                 = string
      district               = string
      postal_code            = string
      additional_information = optional(string)
      city_code              = string
    })
  })

  validation {
    condition     = can(regex("^[0-9]{7}$", var.company.address.city_code))
    error_message = "company.address.city_code is the IBGE code of the city, 7 digits such as 3550308 for São Paulo."
  }
}

variable "deletion_protection" {
  description = "Whether destroying the company is refused. Deleting a company is irreversible and ends its key."
  type        = bool
  default     = true
}

variable "product_invoice" {
  description = "How the company issues NF-e. Null leaves these settings as they are. next_number is a minimum."
  type = object({
    environment_type = optional(string, "development")
    series           = optional(string, "1")
    next_number      = optional(number, 1)
  })
  default = null

  validation {
    condition     = var.allow_production || try(var.product_invoice.environment_type, null) != "production"
    error_message = "In production NF-e are legally valid. If you want this, set allow_production = true."
  }
}

variable "consumer_invoice" {
  description = "How the company issues NFC-e. Null leaves these settings as they are. token_id and csc come from the state's tax authority."
  type = object({
    environment_type          = optional(string, "development")
    series                    = optional(string, "1")
    next_number               = optional(number, 1)
    token_id                  = string
    allow_offline_contingency = optional(bool, false)
  })
  default = null

  validation {
    condition     = var.allow_production || try(var.consumer_invoice.environment_type, null) != "production"
    error_message = "In production NFC-e are legally valid. If you want this, set allow_production = true."
  }

  validation {
    condition     = var.consumer_invoice == null || var.csc_version != null
    error_message = "NFC-e need the taxpayer's security code: set csc and csc_version."
  }
}

variable "service_invoice" {
  description = "How the company issues NFS-e. Null leaves these settings as they are. user_name goes with service_password, where the city asks for them."
  type = object({
    environment_type = optional(string, "simulation")
    series           = optional(string, "1")
    next_number      = optional(number, 1)
    user_name        = optional(string)
  })
  default = null

  validation {
    condition     = var.allow_production || try(var.service_invoice.environment_type, null) != "production"
    error_message = "In production NFS-e are legally valid. If you want this, set allow_production = true."
  }
}

variable "allow_production" {
  description = "Whether any of the models may be in production, where invoices are legally valid."
  type        = bool
  default     = false
}

variable "csc" {
  description = "The taxpayer's security code for NFC-e."
  type        = string
  sensitive   = true
  ephemeral   = true
  default     = null
}

variable "csc_version" {
  description = "A new value sends csc again, such as its version in the secret store."
  type        = string
  default     = null
}

variable "service_password" {
  description = "The password for the city's system for NFS-e."
  type        = string
  sensitive   = true
  ephemeral   = true
  default     = null
}

variable "service_password_version" {
  description = "A new value sends service_password again."
  type        = string
  default     = null
}

variable "certificate_pfx_base64" {
  description = "The digital certificate (A1), a PKCS #12 file in base64, such as from filebase64()."
  type        = string
  sensitive   = true
  ephemeral   = true
  default     = null
}

variable "certificate_password" {
  description = "The password of the certificate file."
  type        = string
  sensitive   = true
  ephemeral   = true
  default     = null
}

variable "certificate_version" {
  description = "A new value uploads the certificate again, such as its year. Null uploads none."
  type        = string
  default     = null
}

variable "webhooks" {
  description = "Events and the URL that each is reported to. Webhooks belong to the account and report on all its companies: set them for one company alone."
  type        = map(string)
  default     = {}
}

variable "key_handover" {
  description = "Where the company's key goes: \"output\" (api_key of this module), \"file\" (key_file), \"command\" (key_command), or \"none\". It is in the state in any case."
  type        = string
  default     = "output"

  validation {
    condition     = contains(["output", "file", "command", "none"], var.key_handover)
    error_message = "key_handover is \"output\", \"file\", \"command\" or \"none\"."
  }
}

variable "key_file" {
  description = "With key_handover = \"file\": the file that the key is written to, readable by its owner alone."
  type        = string
  default     = null

  validation {
    condition     = var.key_handover != "file" || var.key_file != null
    error_message = "key_handover = \"file\" needs a key_file."
  }
}

variable "key_command" {
  description = "With key_handover = \"command\": a shell command that stores the key. It finds COMPANY_API_KEY and COMPANY_ID in its environment."
  type        = string
  default     = null

  validation {
    condition     = var.key_handover != "command" || var.key_command != null
    error_message = "key_handover = \"command\" needs a key_command."
  }
}
