# Tests the result of the module for an input, and that it issues only once.

variables {
  sales = {
    test-sale-1 = [
      { code = "PAO-001", description = "Pão francês", ncm = "19059090", quantity = 2, price = 17.90 },
      { code = "BOLO-001", description = "Bolo de fubá", ncm = "19059090", quantity = 1, price = 24.50 },
    ]
  }
}

run "opens_the_shop" {
  module {
    source = "./tests/setup"
  }
}

run "plans_an_invoice_for_each_sale" {
  command = plan

  assert {
    condition     = jsondecode(einvoice_invoice_issuance.sale["test-sale-1"].payload_json).total.invoiceAmount == 60.30
    error_message = "The total of the invoice is not the sum of its items."
  }

  assert {
    condition     = jsondecode(einvoice_invoice_issuance.sale["test-sale-1"].payload_json).items[*].totalAmount == [35.80, 24.50]
    error_message = "The totals of the items are wrong."
  }
}

run "issues_them" {
  assert {
    condition     = einvoice_invoice_issuance.sale["test-sale-1"].status == "authorized" && length(output.invoices["test-sale-1"].access_key) == 44
    error_message = "The invoice is ${einvoice_invoice_issuance.sale["test-sale-1"].status}."
  }

  assert {
    condition     = output.total == 60.30
    error_message = "The sales add up to ${output.total}."
  }
}

# A plan does not know the access key of an invoice that is not issued yet, so the
# assertion would fail.
run "issues_none_twice" {
  command = plan

  assert {
    condition     = length(output.invoices["test-sale-1"].access_key) == 44
    error_message = "Another invoice is planned."
  }
}

run "refuses_a_sale_without_items" {
  command = plan

  variables {
    sales = { test-sale-2 = [] }
  }

  expect_failures = [var.sales]
}
