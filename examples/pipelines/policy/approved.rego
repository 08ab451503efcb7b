# What einvoice.rego lets through, by its address in the plan, such as
# "module.branch.einvoice_company_settings.this". Keep it in the branch that is
# applied, with an owner of its own (CODEOWNERS), and take a line out again when its
# change has been applied: it is for one change and not for ever.
package approved

import rego.v1

# What one plan may issue for, in reais.
amount := 10000

# Settings whose environment_type goes from or to production.
production := []

# Companies to be deleted or forgotten, or without deletion_protection.
companies := []

# Invoices and orders to be canceled.
cancellations := []

# Invoices and orders to be replaced: another one is issued.
replacements := []

# Invoices with payload_check = false.
unchecked := []

# Actions, such as "action.einvoice_invoice_cancel.wrong".
actions := []
