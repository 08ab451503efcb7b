terraform import 'einvoice_inbound_manifestation.received["7c9e6679-7425-40de-944b-e07fc1f90ae7"]' 7c9e6679-7425-40de-944b-e07fc1f90ae7

# With the company's tax number before it, by the key that company_keys has for it.
terraform import 'einvoice_inbound_manifestation.received["7c9e6679-7425-40de-944b-e07fc1f90ae7"]' 11222333000181/7c9e6679-7425-40de-944b-e07fc1f90ae7
