# A received invoice, which outcomes.json contains, and the company's declaration about it.

run "declares_a_received_invoice" {
  module {
    source = "./tests/received"
  }

  variables {
    access_key = "35261142318949000184550010000000421123456785"
  }

  assert {
    condition     = one(data.einvoice_inbound_invoices.received.invoices).issuer.name == "Moinho Real"
    error_message = "The invoice is from somebody else."
  }

  assert {
    condition     = einvoice_inbound_manifestation.received.protocol != null
    error_message = "The authority has not registered the declaration."
  }
}
