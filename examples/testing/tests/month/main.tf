# A report of what was billed.

terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

module "totals" {
  source = "./totals"
}

output "report" {
  value = "R$ ${module.totals.billed} in November"
}
