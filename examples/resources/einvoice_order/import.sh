# By the id that the service gave it, or by your own.
terraform import einvoice_order.flour 7c9e6679-7425-40de-944b-e07fc1f90ae7
terraform import einvoice_order.flour transaction_id=sale-2026-0001
