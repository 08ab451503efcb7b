data "einvoice_payload_examples" "sao_paulo" {
  city_code = "3550308"
}

# A city may have no sample. You can issue without one.
output "city_service_codes" {
  value = [
    for example in data.einvoice_payload_examples.sao_paulo.examples :
    try(jsondecode(example.body_json).cityServiceCode, null)
  ]
}
