# HCP Terraform keeps the state, the runs and the variables. An agent in your network
# executes the runs: it can reach the database that machines share.
#
# Variables of the workspace, of the category "environment": EINVOICE_BASE_URL, and
# sensitive EINVOICE_API_KEY and EINVOICE_COORDINATION_URL. Each run of an agent begins
# with a clean environment and its own directory. It does not see the environment of the
# agent's container, and would lose EINVOICE_CACHE_DIR.
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
