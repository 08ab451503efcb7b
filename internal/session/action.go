package session

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var (
	_ action.ActionWithConfigure  = (*Action[struct{}])(nil)
	_ action.ActionWithModifyPlan = (*Action[struct{}])(nil)
)

// actionCLI ends the description of each action.
const actionCLI = "\n\nNeeds Terraform 1.14 or later: `terraform apply -invoke=action.TYPE.NAME`, or an " +
	"`action_trigger` in the `lifecycle` of a resource. OpenTofu has no actions. If a triggered action fails, the " +
	"next apply does not trigger it again: invoke it by its name."

// progress returns a function that shows a line of progress to whoever invoked the action.
// The framework waits for ever when nobody reads the lines: the function gives up when ctx
// ends.
func progress(ctx context.Context, resp *action.InvokeResponse) func(text.Text) {
	return func(said text.Text) {
		line := said.In(ctx)
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

// Action does something at the service. M is its configuration. Actions have no state and no
// outputs: each is safe to invoke again, or says why it refuses.
type Action[M any] struct {
	*Session

	Name        string // without "einvoice_"
	Description string
	Company     string                      // the argument that names the company that acts; "" for none
	Attributes  map[string]schema.Attribute // apart from it
	Perform     func(ctx context.Context, run *Invocation, config *M) diag.Diagnostics
}

// Invocation is one run of an action.
type Invocation struct {
	*Session                    // of the company
	Schema   message.PathSchema // of the action
	Report   func(text.Text)    // shows a line of progress
}

// Metadata names the action.
func (a *Action[M]) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_" + a.Name
}

// Schema adds the company to the attributes, and the versions of the CLI to the description.
func (a *Action[M]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := maps.Clone(a.Attributes)
	if a.Company != "" {
		attributes[a.Company] = attribute.ActionIssuer()
	}
	resp.Schema = schema.Schema{MarkdownDescription: a.Description + actionCLI, Attributes: attributes}
}

func (a *Action[M]) Configure(ctx context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.Session = From(ctx, req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan refuses a key that is known to be unusable, or another company's than the one
// that the configuration names. Invoke checks again: the CLIs plan an action once, before
// the apply.
func (a *Action[M]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	acting, diags := a.named(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.RequireIssuer(ctx, text.Of("action.label", text.With{"name": a.Name}))...)
	if !acting.Deferred() {
		resp.Diagnostics.Append(acting.Usable(ctx)...)
	}
}

// Invoke performs the action with the key of the company.
func (a *Action[M]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	config := new(M)
	resp.Diagnostics.Append(req.Config.Get(ctx, config)...)
	acting, diags := a.named(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.RequireIssuer(ctx, text.Of("action.label", text.With{"name": a.Name}))...)
	if resp.Diagnostics.Append(acting.Usable(ctx)...); resp.Diagnostics.HasError() {
		return
	}
	run := &Invocation{Session: acting, Schema: req.Config.Schema, Report: progress(ctx, resp)}
	ctx = poll.Telling(ctx, func(ctx context.Context, why string, d time.Duration) {
		LogWait(ctx, why, d)
		run.Report(text.Of(why, text.With{"for": d}))
	})
	resp.Diagnostics.Append(a.Perform(ctx, run, config)...)
}
