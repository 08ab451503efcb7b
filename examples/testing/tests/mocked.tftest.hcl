# Tests the module without sandbox, network or key. The provider checks only the
# configuration here; these defaults stand for the service's answers.
#
#   terraform test -filter=tests/mocked.tftest.hcl

mock_provider "einvoice" {
  mock_resource "einvoice_invoice_issuance" {
    defaults = {
      status     = "authorized"
      number     = 1
      access_key = "35261111222333000181650010000000011000000012"
    }
  }
}

run "issues_an_invoice_for_each_sale" {
  variables {
    sales = {
      mocked-1 = [{ code = "PAO-001", description = "Pão francês", ncm = "19059090", quantity = 2, price = 17.90 }]
      mocked-2 = [{ code = "BOLO-001", description = "Bolo de fubá", ncm = "19059090", quantity = 1, price = 24.50 }]
    }
  }

  assert {
    condition     = keys(output.invoices) == ["mocked-1", "mocked-2"] && output.total == 60.30
    error_message = "The sales add up to ${output.total}, and have ${length(output.invoices)} invoices."
  }
}

run "refuses_an_item_of_nothing" {
  command = plan

  variables {
    sales = {
      mocked-3 = [{ code = "PAO-001", description = "Pão francês", ncm = "19059090", quantity = 2, price = 0 }]
    }
  }

  expect_failures = [var.sales]
}

# Terraform mocks a map of objects, such as `by_status`, as an empty map and ignores its
# defaults. OpenTofu uses them. On both, override the output that reads the map.
run "reports_what_was_billed" {
  module {
    source = "./tests/month"
  }

  override_module {
    target  = module.totals
    outputs = { billed = "60.30" }
  }

  assert {
    condition     = output.report == "R$ 60.30 in November"
    error_message = "The report says ${output.report}."
  }
}
