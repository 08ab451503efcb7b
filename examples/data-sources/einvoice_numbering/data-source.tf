# Which numbers of November have to be declared unused.
data "einvoice_numbering" "november" {
  model            = "productInvoice"
  series           = "1"
  month            = "2026-11"
  environment_type = "production"
}

output "to_declare_unused" {
  value = [for gap in data.einvoice_numbering.november.gaps : "${gap.from} to ${gap.to}"]
}

check "no_gaps" {
  assert {
    condition     = length(data.einvoice_numbering.november.gaps) == 0
    error_message = "Numbers of November are neither used nor declared unused."
  }
}
