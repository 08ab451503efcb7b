package invoice

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// NewDataSource is einvoice_invoice, one issued invoice. The read does not ask the authority.
func NewDataSource() datasource.DataSource {
	attributes := shown.Attributes(invoiceFields)
	attributes["model"] = attribute.ModelArgument(einvoice.Models, "")
	attributes["id"] = session.FoundBy(
		"Identifier of the invoice at the service (a UUID). Set this or `integration_id`.", attribute.TextValidator{})
	attributes["integration_id"] = session.FoundBy("The issuer's own identifier of the invoice. Set this or `id`. "+
		"If several invoices have it, rejected ones are ignored, and exactly one must remain.",
		attribute.TextValidator{Max: 36, Example: "order-1024"})
	return &session.DataSource[types.Object]{
		Company: "issuer", Name: "invoice", Attributes: attributes, Fill: readInvoice,
		Description: "One issued invoice, by `id` or by `integration_id`, as the service holds it: a read " +
			"does not ask the authority. Needs the key of the company that issued it.",
		Validators: []datasource.ConfigValidator{
			datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("integration_id")),
		},
	}
}

func readInvoice(ctx context.Context, reading *session.Session, m *types.Object) (diags diag.Diagnostics) {
	config := m.Attributes()
	model, id := string(attribute.AttrText(config["model"])), attribute.AttrText(config["id"])
	integrationID, found := attribute.AttrText(config["integration_id"]), string(id)
	if found == "" {
		found, diags = findByIntegrationID(ctx, reading.Client, model, string(integrationID))
		if diags.HasError() {
			return diags
		}
	}
	v, err := reading.Client.Invoice(ctx, model, found) // A list may lag; the read by id is current.
	if errors.Is(err, einvoice.ErrNotFound) {
		return invoiceNotFound(ctx, model, "id", found)
	}
	if err != nil {
		return message.APIError(ctx, message.Task("read", "invoice"), err, nil)
	}
	reading.Saw(v)
	v.ID, v.IntegrationID = cmp.Or(id, v.ID), cmp.Or(v.IntegrationID, integrationID)
	v.Model = einvoice.Enum(model)
	*m = invoiceFields(v).Into(ctx, *m)
	return nil
}

// findByIntegrationID finds the id of the invoice in the list.
func findByIntegrationID(
	ctx context.Context, client *einvoice.Client, model, integrationID string,
) (string, diag.Diagnostics) {
	list := client.Invoices(ctx, model, einvoice.InvoiceFilter{IntegrationID: integrationID})
	found, err := einvoice.Matching(list, func(v *einvoice.Invoice) bool {
		return string(v.IntegrationID) == integrationID
	})
	if err != nil {
		return "", message.APIError(ctx, message.Task("read", "invoice"), err, nil)
	}
	if len(found) == 0 {
		return "", invoiceNotFound(ctx, model, "integration_id", integrationID)
	}
	candidates := found
	if len(found) > 1 { // A service that does not merge keeps rejected ones beside the one that was sent again.
		candidates = slices.DeleteFunc(slices.Clone(found), func(v *einvoice.Invoice) bool {
			return string(v.Status) == einvoice.StatusRejected
		})
	}
	if len(candidates) == 1 {
		return string(candidates[0].ID), nil
	}
	idAndStatus := func(v *einvoice.Invoice) einvoice.Text { return v.ID + " (" + einvoice.Text(v.Status) + ")" }
	return "", message.ExactlyOne(ctx, found, idAndStatus, "invoice", "integration_id", integrationID)
}

// invoiceNotFound names the model too: each has a list of its own.
func invoiceNotFound(ctx context.Context, model, key, value string) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root(key), "invoice.not_found", text.With{
		"key": key, "value": value, "model": model, "document": message.DocumentNames[model],
	})
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
	Invoices                 []types.Object    `tfsdk:"invoices"`
}

// NewListDataSource is einvoice_invoices, the issued invoices of one model. The service's lists
// have no filter by status and no sort; the order is the service's.
func NewListDataSource() datasource.DataSource {
	return &session.DataSource[listModel]{
		Company: "issuer", Name: "invoices", Fill: readInvoices,
		Description: "The issued invoices of one model that match all filters. The data source reads all " +
			"pages, and applies each filter again to what the service returns. Needs the key of the company that " +
			"issued them.",
		Attributes: map[string]schema.Attribute{
			"model": attribute.ModelArgument(einvoice.Models, ""),
			"integration_id": attribute.TextFilter("Only invoices with exactly this `integration_id`.",
				attribute.TextValidator{Max: 36, Example: "order-1024"}),
			"transaction_id": attribute.TextFilter("Only invoices of the order with exactly this `transaction_id`.",
				attribute.TextValidator{}),
			"effective_date_start": attribute.DateFilter("Only invoices from this date or date-time on, inclusive."),
			"effective_date_end": attribute.DateFilter("Only invoices up to this date or date-time, inclusive; a " +
				"date means until the end of that day."),
			"receiver_federal_tax_number": attribute.TaxNumberFilter("Only invoices to this receiver: CPF, CNPJ or "+
				"foreign document, with or without punctuation.", attribute.TaxNumberValidator),
			"statuses": attribute.WordsFilter("Only invoices with one of these statuses", einvoice.InvoiceStatuses),
			"limit":    attribute.Limit("invoices"),
			"raw":      attribute.RawArgument,
			"invoices": shown.List("The invoices, in the order of the service; empty when none match.", invoiceFields),
		},
	}
}

func readInvoices(ctx context.Context, reading *session.Session, m *listModel) (diags diag.Diagnostics) {
	model := m.Model.ValueString()
	filter, matches := m.filter()
	listing := session.Listing[einvoice.Invoice, types.Object]{
		Plural: "invoices", Limit: m.Limit,
		Advice:  text.Of("invoice.narrow", nil),
		Entries: reading.Client.Invoices(ctx, model, filter), Matches: matches,
		Model: func(v *einvoice.Invoice) types.Object {
			if !m.Raw.ValueBool() {
				v.Raw = nil
			}
			v.Model = cmp.Or(v.Model, einvoice.Enum(model))
			reading.Saw(v)
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

// disablementStatuses are the service's words (specification: Disablement).
var disablementStatuses = []string{"inProcessing", "registered", "rejected", "error"}

type disablementsModel struct {
	Issuer       attribute.Spelled `tfsdk:"issuer"`
	StartDate    types.String      `tfsdk:"start_date"`
	EndDate      types.String      `tfsdk:"end_date"`
	Status       types.String      `tfsdk:"status"`
	Limit        types.Int64       `tfsdk:"limit"`
	Disablements []types.Object    `tfsdk:"disablements"`
}

func disablementFields(v *einvoice.Disablement) shown.Fields {
	return shown.Fields{
		"id":             shown.Text("Identifier at the service (a UUID).", v.ID),
		"identifier":     shown.Text("Identifier of the request at the authority.", v.Identifier),
		"date":           shown.Text("Date of the request.", v.Date),
		"initial_number": shown.Int("First number of the range.", v.InitialNumber),
		"final_number":   shown.Int("Last number of the range.", v.FinalNumber),
		"series":         shown.Text("Series.", v.Series),
		"reason":         shown.Text("Reason that was given.", v.Reason),
		"protocol_number": shown.Text("Protocol of the authority; null until it has registered the range.",
			v.ProtocolNumber),
		"status":       shown.Text("Status: "+attribute.WordList(disablementStatuses)+", or a newer one.", v.Status),
		"environment":  shown.Text("Environment: "+attribute.WordList(einvoice.EnvironmentTypes)+".", v.Environment),
		"message_code": shown.Text("Code of the authority's response.", v.MessageCode),
		"message_text": shown.Text("Text of the authority's response.", v.MessageText),
	}
}

// NewDisablementsDataSource is einvoice_disablements, the ranges of NF-e numbers that were declared
// unused. Nobody specifies the list's query parameters, so every filter is applied again here.
func NewDisablementsDataSource() datasource.DataSource {
	return &session.DataSource[disablementsModel]{
		Company: "issuer", Name: "disablements", Fill: readDisablements,
		Description: "The ranges of NF-e numbers that the company has declared unused (inutilização) and " +
			"that match all filters. The data source reads all pages, and applies each filter again to what the " +
			"service returns. Needs the company's key.",
		Attributes: map[string]schema.Attribute{
			"start_date": attribute.DateFilter("Only those from this date or date-time on, inclusive."),
			"end_date": attribute.DateFilter("Only those up to this date or date-time, inclusive; a date means until " +
				"the end of that day."),
			"status":       attribute.WordFilter("Only those with this status", disablementStatuses),
			"limit":        attribute.Limit("ranges"),
			"disablements": shown.List("The ranges, in the order of the service; empty when none match.", disablementFields),
		},
	}
}

func readDisablements(ctx context.Context, reading *session.Session, m *disablementsModel) (diags diag.Diagnostics) {
	status, dates := m.Status.ValueString(), attribute.DatesFrom(m.StartDate, m.EndDate)
	filter := einvoice.DisablementFilter{Status: status, StartDate: dates.From, EndDate: dates.Until}
	listing := session.Listing[einvoice.Disablement, types.Object]{
		Plural: "disablements", Limit: m.Limit,
		Advice:  text.Of("invoice.narrow_disablements", nil),
		Entries: reading.Client.Disablements(ctx, einvoice.ModelProduct, filter),
		Matches: func(v *einvoice.Disablement) bool {
			return (status == "" || string(v.Status) == status) && dates.Has(v.Date)
		},
		Model: func(v *einvoice.Disablement) types.Object { return shown.Value(v, disablementFields) },
	}
	m.Disablements, diags = listing.Read(ctx)
	return diags
}
