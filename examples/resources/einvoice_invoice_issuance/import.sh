# By model and id. The service does not return the payload: the first apply afterwards
# takes it from the configuration, and sends nothing.
terraform import einvoice_invoice_issuance.november serviceInvoice/7c9e6679-7425-40de-944b-e07fc1f90ae7

# By your integration_id. If several invoices have it, this imports the one that an
# apply would continue with. If two of them may be valid, the import fails.
terraform import einvoice_invoice_issuance.november serviceInvoice/integration_id=2026-11-consulting

# Put the tax number of a company first to use its key in company_keys of the provider.
terraform import einvoice_invoice_issuance.december 11222333000181/serviceInvoice/integration_id=2026-12-consulting
