# Run this on a schedule. It fails if the company's digital certificate is missing or
# has expired: without it, the company can neither receive nor issue invoices. Other
# problems of the search pass by themselves, and only cause a warning.

terraform {
  required_version = ">= 1.8"

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

# The company is the one whose key the provider has, from the environment:
# EINVOICE_BASE_URL and EINVOICE_API_KEY.
provider "einvoice" {}

data "einvoice_inbound_sync_status" "company" {
  lifecycle {
    # Ends plan and apply with exit code 1.
    postcondition {
      condition     = self.last_attempt_outcome != "certificateMissingOrExpired"
      error_message = self.advice
    }
  }
}

# Only warns.
check "inbound" {
  assert {
    condition     = data.einvoice_inbound_sync_status.company.healthy
    error_message = data.einvoice_inbound_sync_status.company.advice
  }
}
