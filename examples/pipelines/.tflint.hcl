# Only tflint's rules for the language. The provider checks the invoices: its plans warn
# about problems.
tflint {
  required_version = ">= 0.50"
}

config {
  call_module_type = "local"
}

plugin "terraform" {
  enabled = true
  preset  = "recommended"
}

# An unused declaration can hide a wrong key or month.
rule "terraform_unused_declarations" {
  enabled = true
}

rule "terraform_naming_convention" {
  enabled = true
}
