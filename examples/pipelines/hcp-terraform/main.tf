# The state, the runs and the variables are kept by HCP Terraform; an agent in your
# network runs them, where it reaches the database that machines share.
#
# Variables of the workspace, of the category "environment": EINVOICE_BASE_URL, and
# sensitive EINVOICE_API_KEY and EINVOICE_COORDINATION_URL. A run of an agent begins with
# a clean environment and a directory of its own: what the agent's container has in its
# environment does not count, and EINVOICE_CACHE_DIR would be lost with each run.
terraform {
  required_version = ">= 1.8"

  cloud {
    organization = "padaria-central"

    workspaces {
      name = "einvoice"
    }
  }

  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = "~> 0.1.0"
    }
  }
}

provider "einvoice" {}
