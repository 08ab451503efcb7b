# The numbers that were declared unused in 2026.
data "einvoice_disablements" "year" {
  start_date = "2026-01-01"
  end_date   = "2026-12-31"
  status     = "registered"
}

output "unused_numbers" {
  value = [
    for range in data.einvoice_disablements.year.disablements :
    "series ${range.series}: ${range.initial_number} to ${range.final_number} (${range.protocol_number})"
  ]
}
