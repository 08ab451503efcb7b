# Prints an import block for each webhook and product of the account.
data "einvoice_webhooks" "all" {}

data "einvoice_products" "all" {}

locals {
  ids = merge(
    { for webhook in data.einvoice_webhooks.all.webhooks : "einvoice_webhook.w_${replace(webhook.id, "-", "")}" => webhook.id },
    { for product in data.einvoice_products.all.products : "einvoice_product.p_${replace(product.id, "-", "")}" => product.id },
  )
}

output "imports" {
  value = join("\n", [for address, id in local.ids : "import {\n  to = ${address}\n  id = \"${id}\"\n}\n"])
}
