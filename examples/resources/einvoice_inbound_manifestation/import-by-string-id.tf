import {
  to = einvoice_inbound_manifestation.received["7c9e6679-7425-40de-944b-e07fc1f90ae7"]
  id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
}
