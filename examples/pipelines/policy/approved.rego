# Exceptions that einvoice.rego lets through, by their address in the plan, such as
# "module.branch.einvoice_company_settings.this". Keep this file in the branch that is
# applied, with an owner of its own (CODEOWNERS). An exception is for one change: remove
# its line when the change has been applied.
package approved

import rego.v1

# The most that the invoices of one plan may add up to, in reais.
amount := 10000

# Settings whose environment_type goes from or to production.
production := []

# Companies to be deleted or removed from state, without deletion_protection, or that get
# another federal_tax_number.
companies := []

# Invoices and orders to be canceled.
cancellations := []

# Invoices and orders to be replaced: another one is issued.
replacements := []

# Invoices with payload_check = false.
unchecked := []

# Correction letters to be sent.
letters := []

# Invoices, orders and letters without `issuer`: the owner of the API key issues them.
issuers := []

# Actions, such as "action.einvoice_invoice_cancel.wrong".
actions := []
