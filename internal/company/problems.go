package company

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Texts of companies. None shows a key.

// companyName names a company in a text: a company that is gone from the
// configuration has no source line to name it.
func companyName[T, N ~string](name T, taxNumber N, id T) string {
	return fmt.Sprintf("%q (federal_tax_number %s, id %s)", name, taxNumber, id)
}

const newKeyAdvice = "Pass the key to the provider configurations that need it, for example " +
	"`api_key = coalesce(var.branch_key, einvoice_company.NAME.api_key)`. " +
	"If nobody has kept it, generate a new one in the back office."

func companyWithoutCity(name string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("address"), fmt.Sprintf("Company without a city: %q", name),
		"The service may refuse to create a company without a city in its `address`. "+
			"If it does, set `address`, for example `address = { city = { code = \"3550308\" } }`.")
}

// renamedCompany is about a company that one block leaves and another one creates.
func renamedCompany(taxNumber string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("federal_tax_number"),
		"Renamed without a `moved` block: company "+taxNumber, message.Paragraphs(
			"The plan deletes the company of one block, which ends its API key, and creates a company with the same "+
				"`federal_tax_number` in another block. If the block has only got another name, add:",
			"moved {\n  from = einvoice_company.OLD_NAME\n  to   = einvoice_company.NEW_NAME\n}"))
}

func keyWarning(summary string, texts ...string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("api_key"), summary,
		message.Paragraphs(append(texts, newKeyAdvice)...))
}

func keyNotCaptured(label string) diag.Diagnostic {
	return keyWarning("API key of the new company not captured",
		"Company "+label+" was created, but the response did not show its whole API key, and no later one does. "+
			"`api_key` is an empty string.")
}

func adoptedWithoutKey(label string) diag.Diagnostic {
	return keyWarning("Company adopted without its API key",
		"The service shows the API key of company "+label+" only in the response to its creation, and this run did not "+
			"get that response. `api_key` is an empty string.",
		"While the company has issued nothing, you can also create it again: set `deletion_protection = false` and apply "+
			"with `-target=einvoice_company.NAME`. Then apply with `-target=einvoice_company.NAME "+
			"-replace=einvoice_company.NAME`, and at last everything. Without `-target` the objects that need the empty "+
			"key fail the plan.")
}

// keyReplacedByChange is about the answer to an update.
func keyReplacedByChange(label string) diag.Diagnostic {
	return keyWarning("API key was replaced by the change",
		"The service answered the change of company "+label+" with another key than the one in state. "+
			"The old one may be revoked. `api_key` keeps it, because it may be the only copy.")
}

func keyReplacedOutside(name, label string) diag.Diagnostic {
	return keyWarning(fmt.Sprintf("API key replaced outside: company %q", name),
		"The service shows another key for company "+label+" than the one in state: "+
			"it was regenerated in the back office, and the old one no longer works. "+
			"`api_key` still has the old one, because the service does not show the new one.")
}

func protectedFromDeletion(label string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Company is protected from deletion", message.Paragraphs(
		"Company "+label+" has `deletion_protection = true`. Deleting a company is irreversible and ends its API key.",
		"To delete it anyway, set `deletion_protection = false`, apply, and then destroy."))
}

func ownCompany(label string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The company of this API key is never deleted", message.Paragraphs(
		"Company "+label+" has the key that this provider configuration works with. "+
			"Deleting it would end the access to the whole account.",
		"To remove it from state without deleting it, use a `removed` block with `destroy = false`, or `state rm`."))
}

func endsKey(m *companyModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Deleting company %q ends its API key", m.Name.ValueString()),
		"This cannot be undone. Company "+m.label()+" loses its API key and its settings. Its authorized invoices "+
			"stay valid, but can no longer be read, canceled or corrected through the service. "+
			"To keep the company and only remove it from state, use a `removed` block with `destroy = false`.")
}
