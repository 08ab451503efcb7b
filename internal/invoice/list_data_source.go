package invoice

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource returns the data source einvoice_invoices.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

// listDataSource reads the issued invoices of one model. The service's lists
// have no filter by status and no sort; the order is the service's.
type listDataSource struct {
	session.DataSourceBase
}

type listModel struct {
	Model                    types.String      `tfsdk:"model"`
	Issuer                   attribute.Spelled `tfsdk:"issuer"`
	IntegrationID            types.String      `tfsdk:"integration_id"`
	TransactionID            types.String      `tfsdk:"transaction_id"`
	EffectiveDateStart       types.String      `tfsdk:"effective_date_start"`
	EffectiveDateEnd         types.String      `tfsdk:"effective_date_end"`
	ReceiverFederalTaxNumber attribute.Spelled `tfsdk:"receiver_federal_tax_number"`
	Statuses                 []types.String    `tfsdk:"statuses"`
	Limit                    types.Int64       `tfsdk:"limit"`
	Raw                      types.Bool        `tfsdk:"raw"`
	Invoices                 types.List        `tfsdk:"invoices"`
}

func (d *listDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_invoices"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The issued invoices of one model that match all filters. The data source reads all " +
			"pages, and applies each filter again to what the service returns. Needs the key of the company that " +
			"issued them.",
		Attributes: map[string]schema.Attribute{
			"model":  modelArgument,
			"issuer": attribute.IssuerArgument(),
			"integration_id": schema.StringAttribute{
				MarkdownDescription: "Only invoices with exactly this `integration_id`.",
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{Max: 36, Example: "order-1024"}},
			},
			"transaction_id": schema.StringAttribute{
				MarkdownDescription: "Only invoices of the order with exactly this `transaction_id`.",
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{}},
			},
			"effective_date_start": attribute.DateFilter("Only invoices from this date or date-time on, inclusive."),
			"effective_date_end": attribute.DateFilter("Only invoices up to this date or date-time, inclusive; a " +
				"date means until the end of that day."),
			"receiver_federal_tax_number": schema.StringAttribute{
				MarkdownDescription: "Only invoices to this recipient: CPF, CNPJ or foreign document, with or " +
					"without punctuation.",
				CustomType: attribute.SpelledType{Spelling: attribute.TaxNumberSpelling},
				Optional:   true,
				Validators: []validator.String{
					attribute.TextValidator{
						Max: 14, Example: "11.222.333/0001-81", Spelling: attribute.TaxNumberSpelling,
					}, attribute.TaxNumberValidator,
				},
			},
			"statuses": attribute.WordsFilter("Only invoices with one of these statuses", einvoice.InvoiceStatuses),
			"limit":    attribute.Limit("invoices"),
			"raw":      attribute.RawArgument,
			"invoices": schema.ListNestedAttribute{
				MarkdownDescription: "The invoices, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: attributesOf(invoiceFields)},
			},
		},
	}
}

func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	model := config.Model.ValueString()
	filter, matches := config.filter()
	listing := session.Listing[einvoice.Invoice, types.Object]{
		Task: "read invoices", Plural: "invoices", Limit: config.Limit,
		Advice:  "Set filters such as `effective_date_start` and `effective_date_end`",
		Entries: reading.Client.Invoices(ctx, model, filter), Matches: matches,
		Model: func(v *einvoice.Invoice) types.Object {
			if !config.Raw.ValueBool() {
				v.Raw = nil
			}
			v.Model = cmp.Or(v.Model, einvoice.Enum(model))
			return objectOf(v, invoiceFields)
		},
	}
	invoices, diags := listing.Read(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.Append(reading.RefuseOther()...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("invoices"), invoices)...)
	}
}

// filter returns what the service is asked for, and what reports whether an invoice
// matches. Nobody specifies which filters the list of a model honours, so matches applies
// every one again.
func (m *listModel) filter() (filter einvoice.InvoiceFilter, matches func(*einvoice.Invoice) bool) {
	from, _, _ := attribute.ParseDate(m.EffectiveDateStart.ValueString()) // Checked by the validator.
	_, until, _ := attribute.ParseDate(m.EffectiveDateEnd.ValueString())
	filter = einvoice.InvoiceFilter{
		IntegrationID:            m.IntegrationID.ValueString(),
		TransactionID:            m.TransactionID.ValueString(),
		ReceiverFederalTaxNumber: string(m.ReceiverFederalTaxNumber.Normalized()),
		EffectiveDateStart:       attribute.SentDate(m.EffectiveDateStart.ValueString(), from),
		EffectiveDateEnd:         attribute.SentDate(m.EffectiveDateEnd.ValueString(), until),
	}
	isReceiver := func(p *einvoice.Party) bool {
		return p != nil && attribute.TaxNumberSpelling.Same(string(p.FederalTaxNumber), filter.ReceiverFederalTaxNumber)
	}
	return filter, func(v *einvoice.Invoice) bool {
		return (filter.IntegrationID == "" || string(v.IntegrationID) == filter.IntegrationID) &&
			(filter.TransactionID == "" || v.Order != nil && string(v.Order.TransactionID) == filter.TransactionID) &&
			(filter.ReceiverFederalTaxNumber == "" || isReceiver(v.Receiver)) &&
			(len(m.Statuses) == 0 || slices.Contains(m.Statuses, types.StringValue(string(v.Status)))) &&
			attribute.Within(string(cmp.Or(v.EffectiveDate, v.IssuedOn)), from, until)
	}
}
