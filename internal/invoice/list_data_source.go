package invoice

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

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
	Invoices                 []types.Object    `tfsdk:"invoices"`
}

// NewListDataSource is einvoice_invoices, the issued invoices of one model. The service's lists
// have no filter by status and no sort; the order is the service's.
func NewListDataSource() datasource.DataSource {
	return &session.DataSource[listModel]{
		Company: "issuer", Name: "invoices", Fill: readInvoices,
		Description: "The issued invoices of one model that match all filters. All pages are read. " +
			"The service is asked to filter, and every filter is applied again here. " +
			"Needs the key of the company that issued them.",
		Attributes: map[string]schema.Attribute{
			"model": attribute.ModelArgument(einvoice.Models, ""),
			"integration_id": attribute.TextFilter("Only invoices with exactly this identifier of the issuer's own.",
				attribute.TextValidator{Max: 36, Example: "order-1024"}),
			"transaction_id": attribute.TextFilter("Only invoices of the order with exactly this `transaction_id`.",
				attribute.TextValidator{}),
			"effective_date_start": attribute.DateFilter("Only invoices from this date or date-time on, inclusive."),
			"effective_date_end": attribute.DateFilter("Only invoices up to this date or date-time, inclusive; a " +
				"date means until the end of that day."),
			"receiver_federal_tax_number": attribute.TaxNumberFilter("Only invoices to this recipient: CPF, CNPJ or "+
				"foreign document, with or without punctuation.", attribute.TaxNumberValidator),
			"statuses": attribute.WordsFilter("Only invoices with one of these statuses", einvoice.InvoiceStatuses),
			"limit":    attribute.Limit("invoices"),
			"raw":      attribute.RawArgument,
			"invoices": schema.ListNestedAttribute{
				MarkdownDescription: "The invoices, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: shown.Attributes(invoiceFields)},
			},
		},
	}
}

func readInvoices(ctx context.Context, reading *session.Session, m *listModel) (diags diag.Diagnostics) {
	model := m.Model.ValueString()
	filter, matches := m.filter()
	listing := session.Listing[einvoice.Invoice, types.Object]{
		Task: "read invoices", Plural: "invoices", Limit: m.Limit,
		Advice:  "Set filters such as `effective_date_start` and `effective_date_end`",
		Entries: reading.Client.Invoices(ctx, model, filter), Matches: matches,
		Model: func(v *einvoice.Invoice) types.Object {
			if !m.Raw.ValueBool() {
				v.Raw = nil
			}
			v.Model = cmp.Or(v.Model, einvoice.Enum(model))
			return shown.Value(v, invoiceFields)
		},
	}
	m.Invoices, diags = listing.Read(ctx)
	return diags
}

// filter returns what the service is asked for, and what reports whether an invoice
// matches. Nobody specifies which filters the list of a model honours, so matches applies
// every one again.
func (m *listModel) filter() (filter einvoice.InvoiceFilter, matches func(*einvoice.Invoice) bool) {
	dates := attribute.DatesFrom(m.EffectiveDateStart, m.EffectiveDateEnd)
	filter = einvoice.InvoiceFilter{
		IntegrationID:            m.IntegrationID.ValueString(),
		TransactionID:            m.TransactionID.ValueString(),
		ReceiverFederalTaxNumber: string(m.ReceiverFederalTaxNumber.Normalized()),
		EffectiveDateStart:       dates.From,
		EffectiveDateEnd:         dates.Until,
	}
	isReceiver := func(p *einvoice.Party) bool {
		return p != nil && attribute.TaxNumberSpelling.Same(string(p.FederalTaxNumber), filter.ReceiverFederalTaxNumber)
	}
	return filter, func(v *einvoice.Invoice) bool {
		return (filter.IntegrationID == "" || string(v.IntegrationID) == filter.IntegrationID) &&
			(filter.TransactionID == "" || v.Order != nil && string(v.Order.TransactionID) == filter.TransactionID) &&
			(filter.ReceiverFederalTaxNumber == "" || isReceiver(v.Receiver)) &&
			(len(m.Statuses) == 0 || slices.Contains(m.Statuses, types.StringValue(string(v.Status)))) &&
			dates.Has(cmp.Or(v.EffectiveDate, v.IssuedOn))
	}
}
