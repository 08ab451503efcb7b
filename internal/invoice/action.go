package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// Service is what a run works with in a session.
func Service(s *session.Session) issuing.Service {
	return issuing.Service{Client: s.Client, Store: s.Store, Patience: s.Patience(), Clock: poll.RealTime}
}

// invoiceActionModel are the arguments of an action about one issued invoice.
type invoiceActionModel struct {
	Model types.String `tfsdk:"model"`
	ID    types.String `tfsdk:"id"`
}

func invoiceArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"model": schema.StringAttribute{
			MarkdownDescription: "Model of the invoice: " + attribute.WordList(einvoice.Models) + ".",
			Required:            true,
			Validators:          []validator.String{attribute.EnumValidator{Words: einvoice.Models}},
		},
		"id": session.ActionID("Identifier of the invoice at the service"),
	}
}
