package invoice

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// Service returns what the engine needs of a session.
func Service(s *session.Session) engine.Service {
	service := engine.Service{
		Client: s.Client, Store: s.Store, Patience: s.Patience(), Clock: poll.RealTime,
		Issuer: s.Issuer, Account: s.Account,
	}
	if s.Environments.Restricted() {
		service.Environments = engine.Environments{Allows: s.Environments.Allows, Of: s.EnvironmentOf}
	}
	return service
}

// actionArguments are the arguments of an action about one issued invoice.
func actionArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"model": schema.StringAttribute{
			MarkdownDescription: "Model of the invoice: " + attribute.WordList(einvoice.Models) + ".",
			Required:            true,
			Validators:          []validator.String{attribute.EnumValidator{Words: einvoice.Models}},
		},
		"id":     session.ActionID("Identifier of the invoice at the service"),
		"issuer": attribute.ActionIssuer(),
	}
}

// actionTarget are the arguments that name an invoice.
type actionTarget struct {
	Model  types.String      `tfsdk:"model"`
	ID     types.String      `tfsdk:"id"`
	Issuer attribute.Spelled `tfsdk:"issuer"`
}

// actionRun is one invocation of an action about an invoice.
type actionRun struct {
	engine.Issuing
	id       string
	progress func(format string, values ...any) // shows a line
}

func (t *actionTarget) run(ctx context.Context, s *session.Session, resp *action.InvokeResponse) *actionRun {
	return &actionRun{
		Issuing:  engine.Issuing{Service: Service(s), Model: t.Model.ValueString()},
		id:       t.ID.ValueString(),
		progress: session.Progress(ctx, resp),
	}
}

// terms name the invoice by its id as long as it was not read.
func (r *actionRun) terms(v *einvoice.Invoice) *Terms {
	if v == nil {
		return &Terms{Front: message.Invoking, Value: r.id}
	}
	return &Terms{Front: message.Invoking, Value: cmp.Or(string(v.IntegrationID), r.id)}
}

func (r *actionRun) label(v *einvoice.Invoice) string { return r.terms(v).Label(r.Model, v) }

// readError is the error of an invoice that cannot be read, or that does not exist.
func (r *actionRun) readError(ctx context.Context, err error) diag.Diagnostics {
	return message.Invoking.ReadError(ctx, message.DocumentNames[r.Model], "id", r.id, err)
}
