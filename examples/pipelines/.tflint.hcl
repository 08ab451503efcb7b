# The rules of the language, which tflint brings along. What an invoice needs is checked
# by the provider: its plans warn of what they doubt.
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
