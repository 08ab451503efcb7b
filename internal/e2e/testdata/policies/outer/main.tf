terraform {
  required_providers {
    einvoice = {
      source = "einvoice-br/einvoice"
    }
  }
}

variable "ids" { type = set(string) }

module "inner" {
  source = "./inner"
  ids    = var.ids
}
