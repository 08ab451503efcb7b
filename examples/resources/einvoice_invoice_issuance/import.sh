# model/id. The payload cannot be read back: the first apply afterwards takes it
# from the configuration, and sends nothing.
terraform import einvoice_invoice_issuance.november serviceInvoice/7c9e6679-7425-40de-944b-e07fc1f90ae7
