package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

var _ datasource.DataSourceWithConfigure = (*invoicesDataSource)(nil)

func newInvoicesDataSource() datasource.DataSource { return &invoicesDataSource{} }

// invoicesDataSource reads the issued invoices of one model. The service's lists
// have no filter by status and no sort; the order is the service's.
type invoicesDataSource struct {
	dataSourceBase
}

type invoicesDataModel struct {
	Model                    types.String   `tfsdk:"model"`
	IntegrationID            types.String   `tfsdk:"integration_id"`
	TransactionID            types.String   `tfsdk:"transaction_id"`
	EffectiveDateStart       types.String   `tfsdk:"effective_date_start"`
	EffectiveDateEnd         types.String   `tfsdk:"effective_date_end"`
	ReceiverFederalTaxNumber spelled        `tfsdk:"receiver_federal_tax_number"`
	Statuses                 []types.String `tfsdk:"statuses"`
	Limit                    types.Int64    `tfsdk:"limit"`
	Invoices                 []invoiceModel `tfsdk:"invoices"`
}

func (m *invoicesDataModel) wish() *invoiceWish {
	wish := &invoiceWish{
		integrationID: m.IntegrationID.ValueString(),
		transactionID: m.TransactionID.ValueString(),
		receiver:      m.ReceiverFederalTaxNumber.ValueString(),
	}
	wish.from, _, _ = parseDate(m.EffectiveDateStart.ValueString()) // Checked by the validator.
	_, wish.until, _ = parseDate(m.EffectiveDateEnd.ValueString())
	for _, status := range m.Statuses {
		wish.statuses = append(wish.statuses, status.ValueString())
	}
	return wish
}

func (d *invoicesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_invoices"
}

func (d *invoicesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The issued invoices of one model that match all filters. All pages are read. The service is asked to filter, and every filter is applied again here. " +
			"Needs the key of the company that issued them.",
		Attributes: map[string]schema.Attribute{
			"model": schema.StringAttribute{
				MarkdownDescription: "Kind of invoice: " + wordList(invoiceModels) + ".",
				Required:            true,
				Validators:          []validator.String{enumValidator{words: invoiceModels}},
			},
			"integration_id": schema.StringAttribute{
				MarkdownDescription: "Only invoices with exactly this identity in the books of whoever issued them.",
				Optional:            true,
				Validators:          []validator.String{textValidator{max: 36, example: "order-1024"}},
			},
			"transaction_id": schema.StringAttribute{
				MarkdownDescription: "Only invoices of the order with exactly this `transaction_id`.",
				Optional:            true,
				Validators:          []validator.String{textValidator{example: "sale-77"}},
			},
			"effective_date_start": schema.StringAttribute{
				MarkdownDescription: "Only invoices from this date or date-time on, inclusive. Without an offset it is in the time of São Paulo.",
				Optional:            true,
				Validators:          []validator.String{dateValidator{}},
			},
			"effective_date_end": schema.StringAttribute{
				MarkdownDescription: "Only invoices up to this date or date-time, inclusive; a date means until the end of that day. Without an offset it is in the time of São Paulo.",
				Optional:            true,
				Validators:          []validator.String{dateValidator{}},
			},
			"receiver_federal_tax_number": schema.StringAttribute{
				MarkdownDescription: "Only invoices to this recipient: CPF, CNPJ or foreign document, with or without punctuation.",
				CustomType:          spelledType{spelling: taxNumberSpelling},
				Optional:            true,
				Validators:          []validator.String{textValidator{max: 14, example: "11.222.333/0001-81", spelling: taxNumberSpelling}, taxNumberValidator{}},
			},
			"statuses": schema.SetAttribute{
				MarkdownDescription: "Only invoices with one of these statuses: " + wordList(invoiceStatuses) + ".",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(enumValidator{words: invoiceStatuses})},
			},
			"limit": limitAttribute("invoices"),
			"invoices": schema.ListNestedAttribute{
				MarkdownDescription: "The invoices, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: invoiceAttributes()},
			},
		},
	}
}

func (d *invoicesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config invoicesDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	model, wish, limit := config.Model.ValueString(), config.wish(), limitOr(config.Limit, defaultLimit)
	found, more, err := collect(d.client.Invoices(ctx, model, einvoice.InvoiceFilter{
		IntegrationID:            wish.integrationID,
		TransactionID:            wish.transactionID,
		EffectiveDateStart:       sentDate(config.EffectiveDateStart.ValueString(), wish.from),
		EffectiveDateEnd:         sentDate(config.EffectiveDateEnd.ValueString(), wish.until),
		ReceiverFederalTaxNumber: string(config.ReceiverFederalTaxNumber.normalized()),
	}), wish.matches, limit)
	if err != nil {
		resp.Diagnostics.Append(apiError(ctx, "read invoices", err, nil)...)
		return
	}
	if more {
		resp.Diagnostics.Append(cutAtLimit("invoices", limit))
	}
	config.Invoices = make([]invoiceModel, 0, len(found))
	for _, v := range found {
		config.Invoices = append(config.Invoices, invoiceFromAPI(v, model))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
