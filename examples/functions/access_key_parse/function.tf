locals {
  key = provider::einvoice::access_key_parse("3526 1112 ABC3 4501 DE35 5500 1000 0000 4211 2345 6788")
}

output "issuer" {
  value = "${local.key.federal_tax_number} in ${local.key.state}" # 12ABC34501DE35 in SP
}

output "issued" {
  value = format("NF-e %d of %d-%02d", local.key.number, local.key.year, local.key.month) # NF-e 42 of 2026-11
}
