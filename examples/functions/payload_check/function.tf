locals {
  payload = provider::einvoice::payload("serviceInvoice", {
    description        = "Consultoria, novembro de 2026"
    federalServiceCode = "17.01"
    receiver           = { name = "Padaria Central Ltda", federalTaxNumber = "11.222.333/0001-81" }
    total              = { invoiceAmount = 1500.00 }
  })

  findings = provider::einvoice::payload_check("serviceInvoice", local.payload)
}

# Findings that the service would refuse fail the plan. The others are only shown.
output "payload" {
  value = local.payload

  precondition {
    condition     = alltrue([for finding in local.findings : finding.severity != "error"])
    error_message = join("\n", [for finding in local.findings : "${finding.path}: ${finding.message}"])
  }
}

output "findings" {
  value = local.findings # [] here
}
