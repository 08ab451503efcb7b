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

func failure(at path.Path, summary string, texts ...string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(at), summary, message.Paragraphs(texts...))
}

func warning(at path.Path, summary string, texts ...string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(message.ShownAt(at), summary, message.Paragraphs(texts...))
}

// unexpectedSetting reports a field in a form that is not known: its block cannot be merged.
func unexpectedSetting(at path.Path, err error) diag.Diagnostic {
	return failure(at, "Unexpected settings of the service",
		"The service shows a setting in a form that this provider does not know: "+message.Cause(err)+".",
		"Nothing was sent. Take `"+at.String()+"` out of the configuration to leave it as the service holds it.")
}

// writeOnlyArguments are those of `secrets` that set the secret.
func (p place) writeOnlyArguments() string {
	return fmt.Sprintf("`%s` with `%s`", p.writeOnlyPath(), p.versionPath())
}

func unreadableSecret(s place) diag.Diagnostic {
	at, arguments := s.at, fmt.Sprintf("`%s`, or %s,", s.at, s.writeOnlyArguments())
	if s.kind == secretJSON {
		at, arguments = s.writeOnlyPath(), s.writeOnlyArguments()
	}
	return failure(at, "Secret that the service does not show",
		fmt.Sprintf("The block `%s` can only be written as a whole. The service holds a `%s` in it, or may, "+
			"and does not show it in full: writing the block would lose it. Nothing was sent. "+
			"A value under 8 characters may be cut.", s.parent(), s.name),
		"Set "+arguments+" to the value that is in use, and do not name it in `ignore_changes`: what is ignored is not "+
			"sent. A destroy plans the change first: `destroy -refresh=false` does without.")
}

// maskedUnknown reports a place in the service's document.
func maskedUnknown(at string) diag.Diagnostic {
	block, field, _ := strings.Cut(at, ".")
	block = message.SnakeCase(block)
	return failure(path.Root(block), "Masked field in the settings",
		fmt.Sprintf("The block `%s` can only be written as a whole, and the service shows its field `%s` masked: "+
			"writing the block would replace the value by the mask. Nothing was sent.", block, field),
		"If the field has an argument here, set it to the value that is in use. "+
			"Otherwise change this block in the back office, and leave it out of the configuration.")
}

func productionWarning(block, companyID string) diag.Diagnostic {
	return warning(path.Root(block).AtName("environment_type"),
		fmt.Sprintf("Invoices become legally valid: %s of company %s", block, companyID),
		fmt.Sprintf("`%s.environment_type` becomes \"production\": invoices that are issued from then on are legally valid, "+
			"even in a test account.", block))
}

// environmentChangesBeside is about a plan that has told the environment of a new invoice before it changes it.
func environmentChangesBeside(block, companyID, told string) diag.Diagnostic {
	return warning(path.Root(block).AtName("environment_type"),
		"Environment changes beside a new invoice: company "+companyID,
		fmt.Sprintf("This plan also issues an invoice in the environment %q, which the settings have now. If the "+
			"settings are applied first, the apply of that invoice fails, and it is not sent.", told),
		"Add these settings to `depends_on` of the invoice, or change the environment in an apply of its own.")
}

func versionWithoutSecret(s place) diag.Diagnostic {
	return failure(s.versionPath(), "New version without a secret",
		fmt.Sprintf("`%s` changes, which sends `%s`, and that is null. Set it, or leave the version as it is.",
			s.versionPath(), s.writeOnlyPath()))
}

func secretStays(s place, companyID string) diag.Diagnostic {
	return warning(s.at, fmt.Sprintf("The service keeps %s of company %s", s.at, companyID),
		"The plan only removes it from the state: the provider manages no setting that is not configured.",
		fmt.Sprintf("To replace it at the service, set `%s`, or %s, to the new value.", s.at, s.writeOnlyArguments()))
}

// blockNotShown warns in a refresh, hiddenBlock refuses a write.
func blockNotShown(name, companyID string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("The service does not show the settings block %s of company %s", name, companyID), message.Paragraphs(
			"It has shown the block before. The state keeps the values from then, and the provider does not write the "+
				"block until the service shows it again.",
			"Check the company's settings in the back office."))
}

func settingIgnored(s setting, held, companyID string) diag.Diagnostic {
	at := s.at
	if s.isWriteOnly {
		at = s.writeOnlyPath()
	}
	name := at.String()
	if s.kind == anyJSON {
		name = s.key()
	}
	happened := fmt.Sprintf("`%s` was sent as %s. The service reported success, but holds %s.",
		name, s.wire(), cmp.Or(held, "nothing"))
	if s.isSecret() {
		happened = fmt.Sprintf("`%s` was sent. The service reported success, but does not hold that value.", name)
	}
	return failure(at, "Setting not taken by the service",
		happened+" The same request wrote other settings of company "+companyID+".",
		"Check whether the account's plan allows this value, or whether something else changes it at the same time. "+
			"Then apply again.")
}

// incompleteContingency is empty where neither is missing.
func incompleteContingency(noToken, noCSC bool) diag.Diagnostics {
	missing, held, set := "token", "no `token_id`", "`consumer_invoice.token_id`"
	if !noToken {
		missing, held, set = "CSC", "no CSC", "`consumer_invoice.csc` or `secrets.csc_wo`"
	}
	if !noToken && !noCSC {
		return nil
	}
	at := path.Root("consumer_invoice").AtName("allow_offline_contingency")
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Offline contingency without "+missing,
		"`consumer_invoice.allow_offline_contingency` is true. Offline invoices are signed with the taxpayer's "+
			"security code: the service needs the code (CSC) and its `token_id`, and "+held+
			" is configured here or held by the service. Set "+set+" too.")}
}

func hiddenBlock(name, companyID string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("Cannot write the settings block %s of company %s", name, companyID), message.Paragraphs(
			"The block can only be written as a whole. It had values, and the service shows nothing of it "+
				"now: the write would reset all that is not configured, such as the next number, the environment or a "+
				"secret. Nothing was sent.",
			"Apply again when the service shows the block, or take the block out of the configuration. If the block is "+
				"certainly gone at the service, configure all its values, take this resource out of the state with "+
				"`state rm`, and apply: the block is written anew."))
}

// blockChanged is about values that nobody asked to change: of a block that was sent, or of another one.
func blockChanged(name, companyID string, isSent bool, former []string) diag.Diagnostic {
	did, by := "did not contain this block", "changed by the write of another block"
	if isSent {
		did, by = "sent these values of the block as they were", "changed by its own write"
	}
	return diag.NewErrorDiagnostic(fmt.Sprintf("Settings block %s of company %s %s", name, companyID, by),
		message.Paragraphs(
			"The write "+did+", but the service holds other values now. Before, it had "+strings.Join(former, ", ")+".",
			"The service seems to reset them, or somebody changed them at the same moment. Check the settings in the "+
				"back office now, and restore what is wrong."))
}

const extraObject = "a JSON object of blocks, for example `jsonencode({ general = { roundingTolerance = 1.5 } })`"

func extraNoObject() diag.Diagnostic {
	return failure(atExtra, "Invalid extra JSON", "`extra_json` must be "+extraObject+".")
}

func extraOutside(name string) diag.Diagnostic {
	return failure(atExtra, "Extra setting outside of a block", fmt.Sprintf(
		"`extra_json` holds %q, which is not an object. Settings are in blocks: write it inside `general`, "+
			"`productInvoice`, `consumerInvoice`, `serviceInvoice` or another block of the service.", name))
}

func extraOwned(owned place) diag.Diagnostic {
	return failure(atExtra, "Field with an attribute of its own", fmt.Sprintf(
		"`extra_json` holds %q, and there is an attribute `%s` for that. "+
			"Set the attribute, and take the field out of `extra_json`.", owned.key(), owned.at))
}

// codesNoList is the summary and the detail of codes that are not a list.
func codesNoList(at path.Path) (summary, detail string) {
	return "Invalid JSON list", "`" + at.String() + "` must be a JSON list, for example `jsonencode([{ ... }])` " +
		"with the members that your service asks for."
}
