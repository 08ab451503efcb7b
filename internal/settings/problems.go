package settings

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Texts of the settings of a company. None shows a secret.

// unexpectedSetting reports a field of the service whose form is not known, so
// that its block cannot be merged safely.
func unexpectedSetting(at path.Path, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(at), "Unexpected settings of the service", message.Paragraphs(
		fmt.Sprintf("The service shows a field of the settings in a form that this provider does not know: %s.", message.Clause(err)),
		"Nothing was sent. Take `"+at.String()+"` out of the configuration to leave it as the service holds it."))
}

// arguments are those that set the secret.
func (s secretField) arguments() string {
	writeOnly := fmt.Sprintf("`%s` with `%s`", s.writeOnlyPath(), s.versionPath())
	if s.kind == secretJSON {
		return writeOnly
	}
	return fmt.Sprintf("`%s`, or %s,", s.at, writeOnly)
}

func unreadableSecret(s secretField) diag.Diagnostic {
	at := s.at
	if s.kind == secretJSON {
		at = s.writeOnlyPath()
	}
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(at), "Secret that the service does not show", message.Paragraphs(
		fmt.Sprintf("The block `%s` can only be written as a whole. The service holds a `%s` in it, or may, and does not show it: writing the block would lose it. Nothing was sent.",
			s.parent, s.name),
		"Set "+s.arguments()+" to the value that is in use."))
}

func doubtfulSecret(s secretField) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(message.ShownAt(s.at), "Secret that may be gone", message.Paragraphs(
		fmt.Sprintf("The block `%s` was written as a whole, without a `%s`: the service showed none, although `%s` is set. If the service held one without showing it, it is gone now.",
			s.parent, s.name, s.companion),
		fmt.Sprintf("If invoices are refused because it is missing, set `%s`, or `%s` with `%s`.", s.at, s.writeOnlyPath(), s.versionPath())))
}

func secretNotShown(s wantedSecret) diag.Diagnostic {
	at, _ := s.argument()
	return diag.NewAttributeWarningDiagnostic(message.ShownAt(at), "Secret that cannot be verified", message.Paragraphs(
		fmt.Sprintf("`%s` was sent. The service reported success, but shows no value for it. It may hold the secret without showing it: this provider cannot know.", at),
		"If invoices are refused because it is missing, look at the company in the back office. From now on an empty answer is not taken as a sign that the secret is gone."))
}

// maskedUnknown is about a place in the service's document.
func maskedUnknown(at string) diag.Diagnostic {
	block, field, _ := strings.Cut(at, ".")
	block = message.SnakeCase(block)
	return diag.NewAttributeErrorDiagnostic(path.Root(block), "Masked field in the settings", message.Paragraphs(
		fmt.Sprintf("The block `%s` can only be written as a whole, and the service shows its field `%s` masked: writing the block would replace the value by the mask. Nothing was sent.", block, field),
		"If the field has an argument here, set it to the value that is in use. Otherwise change this block in the back office, and leave it out of the configuration."))
}

func settingNotTaken(u untaken, companyID string) diag.Diagnostic {
	happened := fmt.Sprintf("`%s` was sent as %s. The service reported success, but holds %s.", cmp.Or(u.key, u.at.String()), u.sent, u.held)
	if u.sent == "" {
		happened = fmt.Sprintf("`%s` was sent. The service reported success, but does not hold that value.", u.at)
	}
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(u.at), "Setting not taken by the service", message.Paragraphs(
		happened+" Other settings of company "+companyID+" were written by the same request.",
		"Check whether the account's plan allows this value, or whether something else changes it at the same time, and apply again."))
}

// incompleteContingency is empty where neither is missing.
func incompleteContingency(noToken, noCSC bool) diag.Diagnostics {
	missing, held, set := "token", "no `token_id`", "`consumer_invoice.token_id`"
	switch {
	case noToken:
	case noCSC:
		missing, held, set = "CSC", "no CSC", "`consumer_invoice.csc` or `secrets.csc_wo`"
	default:
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("consumer_invoice").AtName("allow_offline_contingency"), "Offline contingency without "+missing,
		"`consumer_invoice.allow_offline_contingency` is true. Offline invoices are signed with the taxpayer's security code: the service needs its `token_id` and the code itself, and "+
			held+" is configured here or held by the service. Set "+set+" too.")}
}

func productionWarning(block, companyID string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(message.ShownAt(path.Root(block).AtName("environment_type")), "Invoices become legally valid",
		fmt.Sprintf("`%s.environment_type` of company %s becomes \"production\": from then on these invoices are legally valid, in a sandbox account too.", block, companyID))
}

func versionWithoutSecret(s secretField) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(s.versionPath(), "New version without a secret",
		fmt.Sprintf("`%s` changes, which sends `%s`, and that is null. Set it, or leave the version as it is.", s.versionPath(), s.writeOnlyPath()))
}

func settingsStay(companyID string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Settings stay at the service",
		fmt.Sprintf("The service cannot delete settings alone. Those of company %s are only removed from state, and stay in force as long as the company exists at the service.", companyID))
}
