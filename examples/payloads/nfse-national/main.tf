# An NFS-e in the national environment (ambiente nacional), for a company in a city that
# has no system of its own, or that uses the national one for the company's regime:
# einvoice_service_cities shows these regimes.
#
# It has a national code of six digits and an NBS of nine. The receiver withholds
# (retém) the federal contributions and the income tax; the issuer pays the ISS. The
# rates are examples.
#
# Uma NFS-e no ambiente nacional, para uma empresa em município sem sistema próprio ou que usa
# o nacional para o regime da empresa: einvoice_service_cities mostra esses regimes.
#
# Ela tem um código nacional de seis dígitos e um NBS de nove. O tomador retém as
# contribuições federais e o imposto de renda; o prestador recolhe o ISS. As alíquotas são
# exemplos.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The account. Its address and its main company's key come from the environment,
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
# A conta: o endereço e a chave da empresa principal vêm do ambiente.
provider "einvoice" {}

resource "einvoice_company" "shop" {
  name               = "Guanabara Consultoria"
  legal_name         = "Guanabara Consultoria Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "110042490114"
  city_tax_number    = "1234567"
  tax_regime         = "regimeNormal"

  economic_activities = [{ code = "7020400", type = "main" }]

  address = {
    street      = "Rua do Ouvidor"
    number      = "1000"
    district    = "Centro"
    postal_code = "20040-030"
    city        = { code = "3304557" }
  }

  # You can destroy this company again. The default is true.
  # Assim, esta empresa de exemplo pode ser excluída. O padrão é true.
  deletion_protection = false
}

# The company issues with its own key, which came with its creation.
# A empresa emite com a própria chave, recebida no cadastro.
provider "einvoice" {
  alias   = "shop"
  api_key = einvoice_company.shop.api_key
}

# Set this for the national environment.
# Necessário para o ambiente nacional.
resource "einvoice_company_settings" "shop" {
  company_id = einvoice_company.shop.id

  service_invoice = {
    environment_type = "simulation"
    issue_type       = "annfs"
    series           = "10001" # O ambiente nacional aceita de 10001 a 49999.
    next_number      = 1
  }
}

resource "einvoice_invoice_issuance" "service" {
  provider = einvoice.shop

  model          = "serviceInvoice"
  integration_id = "payload-nfse-national"

  payload_json = jsonencode({
    description          = "Consultoria em gestão, novembro de 2026"
    nationalTaxationCode = "170101"    # cTribNac: 17.01 of the list of services, and its part / item 17.01 e seu desdobro
    nbsCode              = "114012100" # the service in the Brazilian nomenclature of services / NBS do serviço
    taxationType         = "taxationInMunicipality"
    taxLocation          = "companyMunicipality"
    location             = { code = 3304557, name = "Rio de Janeiro", state = "RJ" }

    receiver = {
      name             = "Café da Esquina Ltda"
      federalTaxNumber = "45997418000153"
      email            = "fiscal@cafe.example"
      address = {
        street     = "Rua Augusta"
        number     = "200"
        district   = "Consolação"
        postalCode = "01304000"
        city       = { code = 3550308 }
      }
    }

    cstPisCofins = "01"

    ibsCbs = { cst = 0, classification = 1 } # 000 and 000001

    total = {
      invoiceAmount = 3000.00

      issBaseTax  = 3000.00
      issRate     = 5.00 # In a city of the national system, leave it out if the answer is E0617.
      issAmount   = 150.00
      issWithheld = false

      pisCofinsBaseTax = 3000.00
      pisRate          = 0.65
      pisAmount        = 19.50
      pisWithheld      = true
      cofinsRate       = 3.00
      cofinsAmount     = 90.00
      cofinsWithheld   = true
      csllRate         = 1.00
      csllAmount       = 30.00
      csllWithheld     = true
      irRate           = 1.50
      irAmount         = 45.00
      irWithheld       = true

      netAmount = 2815.50 # What the receiver pays: 3000.00 less the four taxes withheld. / valor líquido

      # The rates of the test year, which hold until 2026-12-31, on what remains after ISS,
      # PIS and COFINS.
      # As alíquotas do ano de teste, até 31/12/2026, sobre o que resta após ISS, PIS e COFINS.
      ibsCbsBaseTax  = 2740.50
      ibsStateRate   = 0.10
      ibsStateAmount = 2.74
      ibsCityRate    = 0
      ibsCityAmount  = 0
      cbsRate        = 0.90
      cbsAmount      = 24.66
    }
  })

  depends_on = [einvoice_company_settings.shop]
}
