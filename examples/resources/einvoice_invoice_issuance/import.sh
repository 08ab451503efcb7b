# model/id. The payload cannot be read back: the first apply afterwards takes it
# from the configuration, and sends nothing.
terraform import einvoice_invoice_issuance.november serviceInvoice/7c9e6679-7425-40de-944b-e07fc1f90ae7

# issuer/model/id reads it with the key that company_keys of the provider has for
# that company.
terraform import einvoice_invoice_issuance.december 11222333000181/serviceInvoice/7c9e6679-7425-40de-944b-e07fc1f90ae7
