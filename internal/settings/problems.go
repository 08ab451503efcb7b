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
		"The service shows a setting in a form that this provider does not know: "+message.Clause(err)+".",
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

func secretNotShown(s setting) diag.Diagnostic {
	at, _ := s.argument()
	return warning(at, "Secret that cannot be verified",
		fmt.Sprintf("`%s` was sent. The service reported success, but shows no value for it. "+
			"It may hold the secret without showing it.", at),
		"If invoices are rejected because it is missing, look at the company in the back office. "+
			"From now on this provider does not take an empty value as a sign that the secret is gone.")
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

func settingIgnored(u ignoredSetting, companyID string) diag.Diagnostic {
	at, _ := u.argument()
	name, held := at.String(), cmp.Or(string(u.held), "nothing")
	if u.kind == anyJSON {
		name = u.key()
	}
	happened := fmt.Sprintf("`%s` was sent as %s. The service reported success, but holds %s.", name, u.wire(), held)
	if u.isSecret() {
		happened = fmt.Sprintf("`%s` was sent. The service reported success, but does not hold that value.", name)
	}
	if isSame, hasOffset := inUTC(decoded(u.wire()), decoded(u.held)); isSame {
		advice := fmt.Sprintf("Set `%s` to %s, as the service shows it.", at, held)
		if !hasOffset { // Any date without one moves by these hours.
			advice = fmt.Sprintf("Take `%s` out of the configuration: the service keeps its date.", at)
		}
		return failure(at, "Date held in UTC without an offset", happened+" That is the same instant in UTC, but the "+
			"provider reads a date without an offset as São Paulo's.", advice)
	}
	return failure(at, "Setting not taken by the service",
		happened+" The same request wrote other settings of company "+companyID+".",
		"Check whether the account's plan allows this value, or whether something else changes it at the same time. "+
			"Then apply again.")
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
	at := path.Root("consumer_invoice").AtName("allow_offline_contingency")
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Offline contingency without "+missing,
		"`consumer_invoice.allow_offline_contingency` is true. Offline invoices are signed with the taxpayer's "+
			"security code: the service needs the code (CSC) and its `token_id`, and "+held+
			" is configured here or held by the service. Set "+set+" too.")}
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

// blockNotShown warns in a refresh, hiddenSettings refuses a write.
func blockNotShown(name, companyID string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("The service does not show the settings block %s of company %s", name, companyID), message.Paragraphs(
			"It has shown the block before. The state keeps the values from then, and the provider does not write the "+
				"block until the service shows it again.",
			"Check the company's settings in the back office."))
}

// blockWrittenUnseen warns of a block that no read has shown: a new company may have no settings yet.
func blockWrittenUnseen(name, companyID string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Check the settings block %s of company %s", name, companyID), message.Paragraphs(
			"The service showed nothing of this block before the write. If it had values there, the write has reset "+
				"those that are not configured, such as the next number, the environment or a secret.",
			"If the company is not new, compare them in the back office, and configure what was reset."))
}

func hiddenSettings(hidden []place, companyID string) diag.Diagnostic {
	var shown []string
	for _, p := range hidden {
		shown = append(shown, "`"+cmp.Or(p.at.String(), p.key())+"`")
	}
	return diag.NewErrorDiagnostic("Settings that the service does not show now: company "+companyID, message.Paragraphs(
		"The state has values of "+strings.Join(shown, ", ")+", and the service shows none now. The block can only be "+
			"written as a whole: the write would reset them. Nothing was sent.",
		"Check them in the back office. If the company has them, configure them before you apply again. If the service "+
			"shows nothing of a block that is certainly gone, take this resource out of the state with `state rm`, and "+
			"apply: the block is written anew."))
}

// blockChanged is about values that nobody asked to change: of a block that was sent, or of another one.
func blockChanged(name, companyID string, isSent bool, former []string) diag.Diagnostic {
	had := "Before, it had " + strings.Join(former, ", ") + "."
	if isSent {
		return diag.NewErrorDiagnostic(
			fmt.Sprintf("Settings block %s of company %s: other values changed with the write", name, companyID),
			message.Paragraphs(
				"The write sent these values of the block as they were, and the service holds others now. "+had,
				"The service does not take all that it shows, or somebody changed the block at the same moment. Check the "+
					"settings in the back office now, and restore what is wrong."))
	}
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("Settings block %s of company %s changed by the write of another block", name, companyID),
		message.Paragraphs(
			"The write did not contain this block, but the service holds other values of it now. "+had,
			"The service seems to reset the blocks that a request does not send, or somebody changed this one at the "+
				"same moment. Check the settings in the back office now, and restore what is wrong."))
}
