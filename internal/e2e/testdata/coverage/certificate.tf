# For the CLIs that know write-only arguments.

resource "einvoice_company_certificate" "branch" {
  company_id            = einvoice_company.branch.id
  pfx_base64_wo         = "MAMCAQM="
  password_wo           = "of the file"
  pfx_base64_wo_version = "2026"
}

data "einvoice_company_certificates" "branch" {
  company_id = einvoice_company_certificate.branch.company_id
}
