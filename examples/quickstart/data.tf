# What the service holds. A data source that names everything it needs by
# reference waits for it; one that does not says so with depends_on.

data "einvoice_company" "branch" {
  id = einvoice_company.branch.id
}

data "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id

  # The live numbers, after both invoices took theirs.
  depends_on = [einvoice_invoice_issuance.advice, einvoice_invoice_issuance.sale]
}

data "einvoice_customer" "cafe" {
  federal_tax_number = "45997418000153" # Spelled otherwise, and the same.

  depends_on = [einvoice_customer.cafe]
}

data "einvoice_product" "bread" {
  code = einvoice_product.bread.code

  depends_on = [einvoice_product.bread]
}

data "einvoice_webhook" "authorized" {
  id = einvoice_webhook.authorized.id
}

data "einvoice_payload_examples" "sao_paulo" {
  city_code = "3550308"
}

# Under the branch's key, which exists only when the company does.

data "einvoice_invoice" "sale" {
  provider = einvoice.branch

  model = "consumerInvoice"
  id    = einvoice_invoice_issuance.sale.id
}

data "einvoice_invoices" "service" {
  provider = einvoice.branch

  model    = "serviceInvoice"
  statuses = ["authorized"]

  depends_on = [einvoice_invoice_issuance.advice]
}

data "einvoice_inbound_sync_status" "branch" {
  provider = einvoice.branch

  depends_on = [einvoice_company_settings.branch]
}
