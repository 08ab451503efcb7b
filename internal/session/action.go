package session

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

// ActionCLI ends the description of each action.
const ActionCLI = "\n\nNeeds Terraform 1.14 or later: `terraform apply -invoke=action.TYPE.NAME`, or an " +
	"`action_trigger` in the `lifecycle` of a resource. OpenTofu has no actions. If a triggered action fails, the " +
	"next apply does not trigger it again: invoke it by its name."

// ActionBase carries the session into an action. Actions have no state and no outputs: each
// is safe to invoke again, or says why it refuses.
type ActionBase struct{ *Session }

func (b *ActionBase) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	b.Session = From(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan refuses a key that is known to be unusable, or another company's than the one
// that the configuration names. Invoke checks again: the CLIs plan an action once, before
// the apply.
func (b *ActionBase) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	acting, diags := b.As(ctx, req.Config, attribute.Spelled{})
	resp.Diagnostics.Append(diags...)
	if !acting.Deferred() {
		resp.Diagnostics.Append(acting.usableAndFitting()...)
	}
}

// Progress returns a function that shows a line of progress to whoever invoked the action.
// The framework waits for ever when nobody reads the lines: the function gives up when ctx
// ends.
func Progress(ctx context.Context, resp *action.InvokeResponse) func(format string, args ...any) {
	return func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		received := make(chan struct{})
		go func() {
			defer close(received)
			resp.SendProgress(action.InvokeProgressEvent{Message: line})
		}()
		select {
		case <-received:
		case <-ctx.Done():
		}
	}
}

// ActionID is the argument that names what an action is about.
func ActionID(description string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description + " (a UUID).",
		Required:            true,
		Validators:          []validator.String{attribute.TextValidator{}},
	}
}
