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

// Service is what a run works with in a session.
func Service(s *session.Session) engine.Service {
	service := engine.Service{Client: s.Client, Store: s.Store, Patience: s.Patience(), Clock: poll.RealTime, Issuer: s.Issuer, Account: s.Account}
	if s.Environments.Restricted() {
		service.Environments = engine.Environments{Allows: s.Environments.Allows, Of: s.EnvironmentOf}
	}
	return service
}

// actionArguments are those of an action about one issued invoice.
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

// invoked is an action about one invoice on its way.
type invoked struct {
	engine.Issuing
	id   string
	tell func(format string, values ...any) // a line of progress
}

// invoke runs an action for as long as an issuance may take.
func invoke(ctx context.Context, s *session.Session, resp *action.InvokeResponse, model, id types.String, perform func(context.Context, *invoked) diag.Diagnostics) {
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	resp.Diagnostics.Append(perform(ctx, &invoked{
		Issuing: engine.Issuing{Service: Service(s), Model: model.ValueString()}, id: id.ValueString(), tell: session.Progress(ctx, resp),
	})...)
}

// terms are those of an action, which knows an invoice by its id at least.
func (i *invoked) terms(v *einvoice.Invoice) *Terms {
	if v == nil {
		return &Terms{Front: message.Invoking, Value: i.id}
	}
	return &Terms{Front: message.Invoking, Value: cmp.Or(string(v.IntegrationID), i.id)}
}

func (i *invoked) label(v *einvoice.Invoice) string { return i.terms(v).Label(i.Model, v) }

// unread is an invoice that cannot be read, or that is not there.
func (i *invoked) unread(ctx context.Context, err error) diag.Diagnostics {
	return message.Invoking.ReadError(ctx, message.DocumentNames[i.Model], "id", i.id, err)
}
