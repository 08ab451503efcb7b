# By the id that the service gave it, or by your own.
terraform import einvoice_order.flour 7c9e6679-7425-40de-944b-e07fc1f90ae7
terraform import einvoice_order.flour transaction_id=sale-2026-0001

# With the key that company_keys of the provider has for a company.
terraform import einvoice_order.flour 11222333000181/transaction_id=sale-2026-0001
