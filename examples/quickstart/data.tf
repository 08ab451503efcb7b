# What the service holds after the apply. depends_on makes a data source wait for
# what it does not name.

data "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id

  # The next numbers, after both invoices have taken theirs.
  depends_on = [einvoice_invoice_issuance.advice, einvoice_invoice_issuance.sale]
}

data "einvoice_payload_examples" "sao_paulo" {
  city_code = "3550308"
}

# With the branch's key, which exists once the company does.

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
