package company

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Texts of companies. None shows a key.

// companyName names a company in a text: a company that is gone from the
// configuration has no source line to name it.
func companyName[T ~string](name, taxNumber, id T) string {
	return fmt.Sprintf("%q (federal_tax_number %s, id %s)", name, taxNumber, id)
}

const newKeyAdvice = "Give the provider configurations that need the key another one, for example `api_key = coalesce(var.branch_key, einvoice_company.NAME.api_key)`: " +
	"the key as somebody has kept it elsewhere, or a new one from the back office."

func companyWithoutCity() diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("address"), "Company without a city",
		"The service may refuse to create a company without a city in its `address`. If it does, set `address`, for example `address = { city = { code = \"3550308\" } }`.")
}

func keyNotCaptured(label string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("api_key"), "API key of the new company not captured", message.Paragraphs(
		"Company "+label+" was created, but the answer did not show its whole API key, and no later one does. `api_key` is an empty string.", newKeyAdvice))
}

func adoptedWithoutKey(label string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("api_key"), "Company adopted without its API key", message.Paragraphs(
		"The API key of company "+label+" was in the answer that was lost; the service shows it only once. `api_key` is an empty string.",
		"Generate a new key in the back office, or set `deletion_protection = false`, destroy the company while it has issued nothing, and create it again.", newKeyAdvice))
}

func keyReplacedOutside(label string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("api_key"), "API key was replaced outside", message.Paragraphs(
		"The service shows another key for company "+label+" than the one in state: it was regenerated in the back office, which revokes the old one. "+
			"`api_key` keeps the old one, because it may be the only copy.", newKeyAdvice))
}

func protectedFromDeletion(label string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Company is protected from deletion", message.Paragraphs(
		"Company "+label+" has `deletion_protection = true`. Deleting a company is irreversible, and its API key ends with it.",
		"To delete it all the same, set `deletion_protection = false`, apply, and then destroy."))
}

func ownCompany(label string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The company of this API key is never deleted", message.Paragraphs(
		"Company "+label+" has the key that this provider configuration works with. Deleting it would end the access to the whole account.",
		"To take it out of the state without deleting it, use a `removed` block with `destroy = false`, or `state rm`."))
}

func abandonedWithKey(label string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Everything under the company's key is abandoned",
		"Deleting company "+label+" ends its API key and its settings for good. Its invoices stay valid, but can no longer be read, canceled or corrected through the service. "+
			"To keep the company and only take it out of the state, use a `removed` block with `destroy = false`.")
}

// taxNumberTaken is a creation that was refused while the account has companies
// with the same tax number.
func taxNumberTaken(failure *einvoice.Error, found []*einvoice.Company) diag.Diagnostic {
	there := "The account has company " + companyName(found[0].Name, found[0].FederalTaxNumber, found[0].ID) + " already. Import it instead of creating it:"
	if len(found) > 1 {
		var ids []string
		for _, c := range found {
			ids = append(ids, string(c.ID))
		}
		there = fmt.Sprintf("The account has %d companies with this tax number: %s. Import the one that is meant instead of creating it:", len(found), strings.Join(ids, ", "))
	}
	refusal := *failure
	refusal.Messages = slices.Clone(failure.Messages)
	for i := range refusal.Messages {
		refusal.Messages[i].Path = "" // The diagnostic is on the attribute.
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("federal_tax_number"), "Company already exists", message.Paragraphs(
		message.RefusalWords(&refusal), there,
		fmt.Sprintf("import {\n  to = einvoice_company.NAME\n  id = %q\n}", found[0].ID),
		"Its `api_key` will be an empty string, because the service shows a key only once.", message.Reference(failure)))
}
