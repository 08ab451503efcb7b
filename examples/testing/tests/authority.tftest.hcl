# What the module does if the authority is unavailable. outcomes.json contains the
# authority's answers to these two sales.

run "opens_the_shop" {
  module {
    source = "./tests/setup"
  }
}

run "waits_until_the_authority_is_back" {
  variables {
    sales = {
      test-away = [{ code = "PAO-001", description = "Pão francês", ncm = "19059090", quantity = 2, price = 17.90 }]
    }
  }

  assert {
    condition     = einvoice_invoice_issuance.sale["test-away"].status == "authorized"
    error_message = "The invoice is ${einvoice_invoice_issuance.sale["test-away"].status}."
  }
}

run "stops_at_an_invoice_in_contingency" {
  variables {
    accept_contingency = true
    sales = {
      test-contingency = [{ code = "PAO-001", description = "Pão francês", ncm = "19059090", quantity = 2, price = 17.90 }]
    }
  }

  # The output's precondition.
  expect_failures = [output.invoices]
}
