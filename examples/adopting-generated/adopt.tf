# Prints an import block for each webhook and product of the account, and for each
# authorized service invoice that has an integration_id.
data "einvoice_webhooks" "all" {}

data "einvoice_products" "all" {}

data "einvoice_invoices" "services" {
  model    = "serviceInvoice"
  statuses = ["authorized"]
}

locals {
  ids = merge(
    { for webhook in data.einvoice_webhooks.all.webhooks : "einvoice_webhook.w_${replace(webhook.id, "-", "")}" => webhook.id },
    { for product in data.einvoice_products.all.products : "einvoice_product.p_${replace(product.id, "-", "")}" => product.id },
    { for invoice in data.einvoice_invoices.services.invoices : "einvoice_invoice_issuance.i_${replace(invoice.id, "-", "")}" => "serviceInvoice/${invoice.id}" if invoice.integration_id != null },
  )
}

output "imports" {
  value = join("\n", [for address, id in local.ids : "import {\n  to = ${address}\n  id = \"${id}\"\n}\n"])
}
