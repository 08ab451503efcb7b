// Package inbound is the invoices that were issued against the company: data
// sources that read them, their documents and the search for them, and actions
// that ask for a search and declare to the authority what the company says of one.
package inbound

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*inboundInvoiceDataSource)(nil)

// NewDataSource is einvoice_inbound_invoice.
func NewDataSource() datasource.DataSource {
	return &inboundInvoiceDataSource{}
}

// inboundInvoiceDataSource reads one invoice that was issued against the company.
// Each model has a route of its own.
type inboundInvoiceDataSource struct {
	session.DataSourceBase
}

type inboundDataModel struct {
	Company attribute.Spelled `tfsdk:"company"`
	inboundInvoiceModel
}

func (d *inboundInvoiceDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_invoice"
}

func (d *inboundInvoiceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := inboundInvoiceAttributes()
	attributes[companyArgument] = attribute.IssuerArgument()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the invoice at the service (a UUID).",
		Required:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["model"] = schema.StringAttribute{
		MarkdownDescription: "Kind of invoice: " + attribute.WordList(InboundModels) + ".",
		Required:            true,
		Validators:          []validator.String{attribute.EnumValidator{Words: InboundModels}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One invoice that was issued against the company (NF-e or NFS-e). Needs the key of the company that received it.",
		Attributes:          attributes,
	}
}

func (d *inboundInvoiceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config inboundDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	model, id := config.Model.ValueString(), config.ID.ValueString()
	invoice, err := reading.Client.InboundInvoice(ctx, model, id)
	if errors.Is(err, einvoice.ErrNotFound) {
		resp.Diagnostics.AddAttributeError(path.Root("id"), "Inbound invoice not found",
			fmt.Sprintf("The company has received no %s with id %q. Check the value and `model`, and `company`: "+
				"the key must be the one of the company that received it.",
				message.DocumentNames[model], id))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "read inbound invoice", err, nil)...)
		return
	}
	state := inboundDataModel{config.Company, inboundInvoiceFromAPI(invoice, model)}
	state.ID, state.Model = config.ID, config.Model
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
