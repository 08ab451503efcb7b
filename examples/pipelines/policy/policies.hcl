# For a policy set of HCP Terraform that names this directory: it judges each run
# between plan and apply.
policy "einvoice" {
  query             = "data.main.deny"
  enforcement_level = "mandatory"
}
