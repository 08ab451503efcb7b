# model/id. The payload cannot be read back: the first apply afterwards takes it
# from the configuration, and sends nothing.
terraform import einvoice_invoice_issuance.november serviceInvoice/7c9e6679-7425-40de-944b-e07fc1f90ae7

# By your own id. Of several invoices under it, the one that an apply would go on
# with; two that may be valid are an error.
terraform import einvoice_invoice_issuance.november serviceInvoice/integration_id=2026-11-consulting

# With the company's tax number before it, it is read with the key that
# company_keys of the provider has for that company.
terraform import einvoice_invoice_issuance.december 11222333000181/serviceInvoice/integration_id=2026-12-consulting
