package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// What the actions share. An action is a second front of what the resources do:
// it has no state and no outputs, so each of them either is safe to invoke again
// or says why it refuses to.

// ActionCLI ends the description of each action.
const ActionCLI = "\n\nNeeds Terraform 1.14 or later: `terraform apply -invoke=action.TYPE.NAME`, or an `action_trigger` in the `lifecycle` of a resource. OpenTofu and older versions of " +
	"Terraform do not have actions and are not disturbed by them. An action that a trigger has failed at is not repeated by the next apply: invoke it by its name then."

// ActionBase carries the session into an action.
type ActionBase struct {
	*Session
}

func (b *ActionBase) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	b.Session = From(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan refuses a key that is known to be unusable, which Invoke does too:
// the CLIs plan an action once and do not come back here in apply.
func (b *ActionBase) ModifyPlan(_ context.Context, _ action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if b.Session != nil && !b.Deferred() {
		resp.Diagnostics.Append(b.Usable()...)
	}
}

// Reporter sends progress lines. The framework hands them over to whoever reads
// the stream, and waits for ever when nobody does any more.
func Reporter(ctx context.Context, resp *action.InvokeResponse) func(string) {
	return func(line string) {
		taken := make(chan struct{})
		go func() {
			defer close(taken)
			resp.SendProgress(action.InvokeProgressEvent{Message: line})
		}()
		select {
		case <-taken:
		case <-ctx.Done():
		}
	}
}

// Telling is reporter for lines with values.
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

// ActionID is the argument that names what an action is about.
func ActionID(description string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description + " (a UUID).",
		Required:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
}
