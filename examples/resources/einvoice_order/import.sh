# By the id at the service, or by your transaction_id.
terraform import einvoice_order.flour 7c9e6679-7425-40de-944b-e07fc1f90ae7
terraform import einvoice_order.flour transaction_id=sale-2026-0001

# Put the tax number of a company first to use its key in company_keys of the provider.
terraform import einvoice_order.flour 11222333000181/transaction_id=sale-2026-0001
