output "kinds" {
  value = {
    for number in ["529.982.247-25", "12.ABC.345/01DE-35", "US-12.345"] :
    number => provider::einvoice::tax_number_kind(number) # cpf, cnpj, foreign
  }
}
