package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// This file is for the actions of invoices and orders alone, and goes when they
// word their problems themselves.

// Reporter is Progress for lines without values.
func Reporter(ctx context.Context, resp *action.InvokeResponse) func(string) {
	progress := Progress(ctx, resp)
	return func(line string) { progress("%s", line) }
}

// Telling is a Reporter for lines with values.
func Telling(report func(string)) func(string, ...any) {
	return func(format string, args ...any) { report(fmt.Sprintf(format, args...)) }
}

// actionWords are the words of an action for what the resources say: an apply
// comes back to a resource by itself, and to an action only when it is invoked.
var actionWords = strings.NewReplacer(
	" "+message.ForgetInstead, "",
	message.ForgetInstead, "",
	"Run apply again", "Invoke the action again",
	"run apply again", "invoke the action again",
	"Running apply again", "Invoking the action again",
	"every further apply", "every further invocation",
	"Correct the value and apply again", "Correct the value and invoke the action again",
	"Run plan again and read what it shows before you apply.", "Look at it at the service before you invoke the action again.",
	"Run plan again: it shows whether the object is gone.", "Look at the service whether the object is gone.",
	"Apply again after the authorization: with `invoice_id` taken from an `einvoice_invoice_issuance`, the letter waits for it.", "Invoke the action after the authorization.",
	"Run destroy again", "Invoke the action again",
	"Running destroy again", "Invoking the action again",
	"The invoice stays as it is, and in state.", "The invoice stays as it is.",
	"The invoice stays authorized and in state.", "The invoice stays authorized.",
	"The invoice stays in state. ", "",
	"The order stays in state. ", "",
	" Raise `timeouts` when the authority is slow.", "",
	"A rotation with the same triggers", "An invocation of this action",
	"Where the service never queues one, set `issue_invoices = true` to issue explicitly, or `wait_for_invoices = false`.", "Look at the order in the back office when the service never queues one.",
	"take this resource out of the configuration", "do not invoke this action again",
	"`transaction_id`", "transaction_id",
)

// InActionWords words the diagnostics of a resource's code for an action.
func InActionWords(diags diag.Diagnostics) diag.Diagnostics {
	worded := make(diag.Diagnostics, 0, len(diags))
	for _, d := range diags {
		summary, detail := actionWords.Replace(d.Summary()), strings.TrimSpace(actionWords.Replace(d.Detail()))
		located, ok := d.(diag.DiagnosticWithPath)
		switch {
		case ok && d.Severity() == diag.SeverityError:
			worded.AddAttributeError(located.Path(), summary, detail)
		case ok:
			worded.AddAttributeWarning(located.Path(), summary, detail)
		case d.Severity() == diag.SeverityError:
			worded.AddError(summary, detail)
		default:
			worded.AddWarning(summary, detail)
		}
	}
	return worded
}
