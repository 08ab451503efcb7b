# A company that issues its own invoices: its record, how it issues, its
# certificate, who hears of its invoices, and where its key goes.

resource "einvoice_company" "this" {
  name                = var.company.name
  legal_name          = var.company.legal_name
  federal_tax_number  = var.company.federal_tax_number
  state_tax_number    = var.company.state_tax_number
  city_tax_number     = var.company.city_tax_number
  email               = var.company.email
  phone               = var.company.phone
  tax_regime          = var.company.tax_regime
  economic_activities = var.company.economic_activities

  address = {
    street                 = var.company.address.street
    number                 = var.company.address.number
    district               = var.company.address.district
    postal_code            = var.company.address.postal_code
    additional_information = var.company.address.additional_information
    city                   = { code = var.company.address.city_code }
  }

  deletion_protection = var.deletion_protection
}

resource "einvoice_company_settings" "this" {
  company_id = einvoice_company.this.id

  product_invoice  = var.product_invoice
  consumer_invoice = var.consumer_invoice
  service_invoice  = var.service_invoice

  # Plans and states do not contain these.
  secrets = var.csc_version == null && var.service_password_version == null ? null : {
    csc_wo                      = var.csc
    csc_wo_version              = var.csc_version
    service_password_wo         = var.service_password
    service_password_wo_version = var.service_password_version
  }
}

# Also the settings of a model whose variable is null.
data "einvoice_company_settings" "this" {
  company_id = einvoice_company.this.id

  depends_on = [einvoice_company_settings.this]
}

resource "einvoice_company_certificate" "this" {
  count = var.certificate_version == null ? 0 : 1

  company_id            = einvoice_company.this.id
  pfx_base64_wo         = var.certificate_pfx_base64
  password_wo           = var.certificate_password
  pfx_base64_wo_version = var.certificate_version
}

resource "einvoice_webhook" "this" {
  for_each = var.webhooks

  event = each.key
  url   = each.value
}

# The service shows the key once, in the response to the creation. The module hands it
# over right after that, and again if the company is replaced or key_handover changes. If
# the handover fails, the next apply repeats it.
resource "terraform_data" "key_in_file" {
  count = var.key_handover == "file" ? 1 : 0

  triggers_replace = [einvoice_company.this.id, var.key_file]

  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = "umask 077 && printf %s \"$COMPANY_API_KEY\" >\"$KEY_FILE\""
    environment = { COMPANY_API_KEY = einvoice_company.this.api_key, KEY_FILE = var.key_file }
  }

  lifecycle {
    precondition {
      condition     = nonsensitive(einvoice_company.this.api_key != "")
      error_message = "The key of the company is not known here, as after an import. Generate one in the back office, store it, and set key_handover = \"none\"."
    }
  }
}

resource "terraform_data" "key_by_command" {
  count = var.key_handover == "command" ? 1 : 0

  triggers_replace = [einvoice_company.this.id, var.key_command]

  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = var.key_command
    environment = { COMPANY_API_KEY = einvoice_company.this.api_key, COMPANY_ID = einvoice_company.this.id }
  }

  lifecycle {
    precondition {
      condition     = nonsensitive(einvoice_company.this.api_key != "")
      error_message = "The key of the company is not known here, as after an import. Generate one in the back office, store it, and set key_handover = \"none\"."
    }
  }
}
