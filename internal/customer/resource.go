// Package customer is the recipients of invoices: a resource, data sources and a list resource.
package customer

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/object"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// customerResource is a recipient of invoices. The service also creates customers from orders, unknown to Terraform.
// Its specification has only creation, update and list; the other operations are assumed. A PUT may replace the whole
// customer: an update reads it first, and sends back what the configuration does not manage.
type customerResource struct {
	object.Resource[einvoice.Customer, customerModel, *customerModel]
}

var _ session.Managed = (*customerResource)(nil)

// NewResource is einvoice_customer.
func NewResource() resource.Resource {
	return &customerResource{object.Resource[einvoice.Customer, customerModel, *customerModel]{
		Kind:        kind,
		Description: "A receiver of invoices. All companies of the account share its customers.",
		Attributes:  attributes,
		Label:       func(m *customerModel) string { return m.Name.ValueString() },
		Fill:        (*customerModel).fillFrom,
		Creation: func(client *einvoice.Client, m *customerModel) session.Creation[einvoice.Customer] {
			return creation(client, m.request(), attribute.ExtraRequest(m.ExtraJSON))
		},
	}}
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                 attribute.ID("customer"),
		"name":               attribute.Required(attribute.Text("Name or trade name (nome fantasia).", 80, "Padaria")),
		"legal_name":         attribute.Text("Legal name (razão social).", 80, "Padaria Central Ltda"),
		"federal_tax_number": attribute.FederalTaxNumber("CPF, CNPJ or foreign document."),
		"state_tax_number":   attribute.StateTaxNumber(20),
		"city_tax_number":    attribute.Text(attribute.CityTaxNumberDescription, 20, "1234567"),
		"email":              attribute.Text("E-mail address.", 50, "fiscal@example.com"),
		"phone":              attribute.Phone("Telephone."),
		"mobile_phone":       attribute.Phone("Mobile telephone."),
		"address":            attribute.Address(map[string]schema.Attribute{"city_name": attribute.CityName()}),
		"extra_json":         attribute.ExtraJSON("customer"),
	}
}

// creation says how to create a customer, and how to recognize it. Two customers may share a tax number: then only the
// name tells them apart.
func creation(
	client *einvoice.Client, wanted einvoice.Customer, extra json.RawMessage,
) session.Creation[einvoice.Customer] {
	hasNumber := func(c *einvoice.Customer) bool { return kind.HasKey(c, string(wanted.FederalTaxNumber)) }
	hasName := func(c *einvoice.Customer) bool { return attribute.SameName(c.Name, wanted.Name) }
	isSame := func(c *einvoice.Customer) bool { return hasName(c) && hasNumber(c) }
	exists := isSame
	if wanted.FederalTaxNumber != "" {
		exists = hasNumber
	}
	return session.Creation[einvoice.Customer]{
		What: session.Named(kind.One, session.DisplayName(wanted.Name, einvoice.Text(wanted.FederalTaxNumber), "")),
		Send: func(ctx context.Context) (*einvoice.Customer, error) {
			return client.CreateCustomer(ctx, wanted, extra)
		},
		Matches: isSame,
		Unique:  wanted.FederalTaxNumber != "",
		Answers: func(c *einvoice.Customer) bool {
			if c.FederalTaxNumber != "" && wanted.FederalTaxNumber != "" {
				return hasNumber(c)
			}
			return c.Name == "" || hasName(c)
		},
		Exists: exists,
	}
}

func (r *customerResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state customerModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	extra := attribute.ExtraRequest(plan.ExtraJSON)
	customer, err := r.Client.UpdateCustomer(ctx, state.ID.ValueString(), plan.request(), state.request(), extra)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("update", "customer"), err, req.Plan.Schema)...)
		return
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, customer)...)
	plan.ID = state.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(plan.FromAPI(customer)...)
	resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
}
