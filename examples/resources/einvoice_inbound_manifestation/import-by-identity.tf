import {
  to       = einvoice_inbound_manifestation.received["7c9e6679-7425-40de-944b-e07fc1f90ae7"]
  identity = { invoice_id = "7c9e6679-7425-40de-944b-e07fc1f90ae7" }
}
