package invoice

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
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
	Invoices                 []*invoiceModel   `tfsdk:"invoices"`
}

func (d *listDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_invoices"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The issued invoices of one model that match all filters. All pages are read. The service is asked to filter, and every filter is applied again here. " +
			"Needs the key of the company that issued them.",
		Attributes: map[string]schema.Attribute{
			"model":  modelArgument,
			"issuer": attribute.IssuerArgument(),
			"integration_id": schema.StringAttribute{
				MarkdownDescription: "Only invoices with exactly this identifier of the issuer's own.",
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{Max: 36, Example: "order-1024"}},
			},
			"transaction_id": schema.StringAttribute{
				MarkdownDescription: "Only invoices of the order with exactly this `transaction_id`.",
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "sale-77"}},
			},
			"effective_date_start": attribute.DateFilter("Only invoices from this date or date-time on, inclusive."),
			"effective_date_end":   attribute.DateFilter("Only invoices up to this date or date-time, inclusive; a date means until the end of that day."),
			"receiver_federal_tax_number": schema.StringAttribute{
				MarkdownDescription: "Only invoices to this recipient: CPF, CNPJ or foreign document, with or without punctuation.",
				CustomType:          attribute.SpelledType{Spelling: attribute.TaxNumberSpelling},
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{Max: 14, Example: "11.222.333/0001-81", Spelling: attribute.TaxNumberSpelling}, attribute.TaxNumberValidator},
			},
			"statuses": attribute.WordsFilter("Only invoices with one of these statuses", einvoice.InvoiceStatuses),
			"limit":    attribute.Limit("invoices"),
			"raw":      attribute.RawArgument,
			"invoices": schema.ListNestedAttribute{
				MarkdownDescription: "The invoices, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: invoiceAttributes()},
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
	d = &listDataSource{reading}
	model, wish := config.Model.ValueString(), config.wish()
	listing := session.Listing[einvoice.Invoice, invoiceModel]{
		Task: "read invoices", Plural: "invoices", Limit: config.Limit, Advice: "Set filters such as `effective_date_start` and `effective_date_end`",
		Entries: d.Client.Invoices(ctx, model, wish.InvoiceFilter), Matches: wish.matches,
		Model: func(v *einvoice.Invoice) invoiceModel {
			if !config.Raw.ValueBool() {
				v.Raw = nil
			}
			return invoiceFromAPI(v, model)
		},
	}
	config.Invoices, diags = listing.Read(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.Append(d.RefuseOther()...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}

// invoiceWish is what a list of invoices is narrowed to. The zero value of each
// field narrows nothing. The service is asked for the same, but which filters
// the list of a model honours is not specified, so every one is applied here.
type invoiceWish struct {
	einvoice.InvoiceFilter
	from, until time.Time // both inclusive
	statuses    []string
}

func (w *invoiceWish) matches(v *einvoice.Invoice) bool {
	if w.IntegrationID != "" && string(v.IntegrationID) != w.IntegrationID {
		return false
	}
	if w.TransactionID != "" && (v.Order == nil || string(v.Order.TransactionID) != w.TransactionID) {
		return false
	}
	if w.ReceiverFederalTaxNumber != "" && (v.Receiver == nil || !attribute.TaxNumberSpelling.Same(string(v.Receiver.FederalTaxNumber), w.ReceiverFederalTaxNumber)) {
		return false
	}
	if len(w.statuses) > 0 && !slices.Contains(w.statuses, string(v.Status)) {
		return false
	}
	return w.dated(v)
}

// dated compares the date that is used as the emission date. An invoice that
// has none yet is not within any range.
func (w *invoiceWish) dated(v *einvoice.Invoice) bool {
	return attribute.Within(string(cmp.Or(v.EffectiveDate, v.IssuedOn)), w.from, w.until)
}

func (m *listModel) wish() *invoiceWish {
	wish := &invoiceWish{InvoiceFilter: einvoice.InvoiceFilter{
		IntegrationID:            m.IntegrationID.ValueString(),
		TransactionID:            m.TransactionID.ValueString(),
		ReceiverFederalTaxNumber: string(m.ReceiverFederalTaxNumber.Normalized()),
	}}
	wish.from, _, _ = attribute.ParseDate(m.EffectiveDateStart.ValueString()) // Checked by the validator.
	_, wish.until, _ = attribute.ParseDate(m.EffectiveDateEnd.ValueString())
	wish.EffectiveDateStart = attribute.SentDate(m.EffectiveDateStart.ValueString(), wish.from)
	wish.EffectiveDateEnd = attribute.SentDate(m.EffectiveDateEnd.ValueString(), wish.until)
	for _, status := range m.Statuses {
		wish.statuses = append(wish.statuses, status.ValueString())
	}
	return wish
}
