terraform import 'einvoice_inbound_manifestation.received["7c9e6679-7425-40de-944b-e07fc1f90ae7"]' 7c9e6679-7425-40de-944b-e07fc1f90ae7

# Put the tax number of a company first to use its key in company_keys of the provider.
terraform import 'einvoice_inbound_manifestation.received["7c9e6679-7425-40de-944b-e07fc1f90ae7"]' 11222333000181/7c9e6679-7425-40de-944b-e07fc1f90ae7
