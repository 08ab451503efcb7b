# An NFS-e in the system of a city, here São Paulo, for cleaning (item 7.10 of the list of
# services). The receiver is a company, which withholds (retém) taxes: it pays them to
# the authorities in the issuer's name, and pays the issuer less.
#
# Each city writes its service codes in its own way: einvoice_payload_examples shows
# what the service sends to yours. The rates are examples.
#
# Uma NFS-e no sistema de uma prefeitura, aqui São Paulo, de um serviço de limpeza (item 7.10
# da lista de serviços). O tomador é uma empresa que retém impostos: ele os recolhe em nome
# do prestador e paga a menos ao prestador.
#
# Cada prefeitura escreve os códigos de serviço de um jeito: einvoice_payload_examples mostra
# o que o serviço envia à sua. As alíquotas são exemplos.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The company that issues: its address and key come from the environment,
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
# A empresa que emite: o endereço e a chave vêm do ambiente.
provider "einvoice" {}

resource "einvoice_invoice_issuance" "service" {
  model          = "serviceInvoice"
  integration_id = "payload-nfse-city"

  payload_json = jsonencode({
    description        = "Limpeza do escritório, novembro de 2026"
    federalServiceCode = "7.10"
    cityServiceCode    = "01406"
    taxationType       = "taxationInMunicipality"
    taxLocation        = "serviceProvisionMunicipality"

    # The place of the service. For cleaning, the tax is due there.
    # O local do serviço. Na limpeza, o ISS é devido ali.
    location = { code = 3550308, name = "São Paulo", state = "SP" }

    receiver = {
      name             = "Café da Esquina Ltda"
      federalTaxNumber = "45997418000153"
      cityTaxNumber    = "12345678"
      email            = "fiscal@cafe.example"
      address = {
        street     = "Rua Augusta"
        number     = "200"
        district   = "Consolação"
        postalCode = "01304000"
        city       = { code = 3550308 }
      }
    }

    total = {
      invoiceAmount = 2000.00

      issBaseTax  = 2000.00
      issRate     = 5.00
      issAmount   = 100.00
      issWithheld = true

      pisCofinsBaseTax = 2000.00
      pisRate          = 0.65
      pisAmount        = 13.00
      pisWithheld      = true
      cofinsRate       = 3.00
      cofinsAmount     = 60.00
      cofinsWithheld   = true
      csllRate         = 1.00
      csllAmount       = 20.00
      csllWithheld     = true
      irRate           = 1.00
      irAmount         = 20.00
      irWithheld       = true
      inssRate         = 11.00
      inssAmount       = 220.00
      inssWithheld     = true

      netAmount = 1567.00 # What the receiver pays: 2000.00 less the six taxes withheld. / valor líquido
    }
  })
}
