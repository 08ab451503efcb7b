// Package inbound is the invoices that were issued against the company: data sources that
// read them, their documents and the state of the search for them, and what asks for a
// search or declares to the authority what the company says of an invoice.
package inbound

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// companyArgument names the company whose key acts in everything inbound: the issuer is
// the supplier there.
const companyArgument = "company"

// NewDataSource is einvoice_inbound_invoice. Each model has an operation of its own.
func NewDataSource() datasource.DataSource {
	attributes := shown.Attributes(invoiceFields)
	attributes["id"] = attribute.RequiredText("Identifier of the invoice at the service (a UUID).")
	attributes["model"] = attribute.ModelArgument(InboundModels, "")
	return &session.DataSource[types.Object]{
		Company: companyArgument, Name: "inbound_invoice", Attributes: attributes, Fill: readInvoice,
		Description: "One invoice that was issued to the company (NF-e or NFS-e). Needs the key of the receiver.",
	}
}

func readInvoice(ctx context.Context, reading *session.Session, m *types.Object) diag.Diagnostics {
	config := m.Attributes()
	id, model := attribute.AttrText(config["id"]), string(attribute.AttrText(config["model"]))
	v, err := reading.Client.InboundInvoice(ctx, model, string(id))
	if errors.Is(err, einvoice.ErrNotFound) {
		return say.ErrorAt(ctx, path.Root("id"), "inbound.not_found", text.With{
			"document": message.DocumentNames[model], "invoice": string(id),
		})
	}
	if err != nil {
		return message.APIError(ctx, message.Task("read", "inbound_invoice"), err, nil)
	}
	v.ID, v.Model = id, einvoice.Enum(model)
	*m = invoiceFields(v).Into(ctx, *m)
	return nil
}

type documentModel struct {
	Company attribute.Spelled `tfsdk:"company"`
	issuance.Document
}

// NewDocumentDataSource is einvoice_inbound_invoice_document. The models have operations
// of their own and ids that are unique over both.
func NewDocumentDataSource() datasource.DataSource {
	return &session.DataSource[documentModel]{
		Company: companyArgument, Name: "inbound_invoice_document",
		Description: "The printed document (PDF) or the signed document (XML) of an NF-e or NFS-e that was issued " +
			"to the company. Until an NF-e is complete, after its manifestation, the XML is only the summary. The " +
			"state keeps the document. Needs the key of the company that received the invoice.",
		Attributes: issuance.DocumentAttributes(),
		Fill: func(ctx context.Context, reading *session.Session, m *documentModel) diag.Diagnostics {
			document, diags := download(ctx, reading.Client, m.ID.ValueString(), m.Format.ValueString())
			if diags.HasError() {
				return diags
			}
			if m.Format.ValueString() == issuance.FormatXML && isSummary(document) {
				diags = say.WarningAt(ctx, path.Root("id"), "inbound.summary", text.With{"invoice": m.ID.ValueString()})
			}
			m.Fill(document)
			return diags
		},
	}
}

// download asks for the document of each model. A refusal counts more than that one of
// the models does not know the id.
func download(ctx context.Context, client *einvoice.Client, id, format string) ([]byte, diag.Diagnostics) {
	var failure error
	for _, model := range InboundModels {
		document, err := client.InboundDocument(ctx, model, id, format)
		if err == nil {
			return document, nil
		}
		failure = cmp.Or(failure, err)
		if !errors.Is(err, einvoice.ErrNotFound) {
			failure = err
			break
		}
	}
	return nil, unavailable(ctx, client, id, failure)
}

// unavailable explains a failed download by the invoice itself.
func unavailable(ctx context.Context, client *einvoice.Client, id string, failure error) diag.Diagnostics {
	refused := message.APIError(ctx, message.Task("read", "inbound_invoice_document"), failure, nil)
	if !issuance.AnsweredAboutDocument(failure) {
		return refused
	}
	for _, model := range InboundModels {
		held, err := client.InboundInvoice(ctx, model, id)
		switch {
		case errors.Is(err, einvoice.ErrNotFound):
			continue
		case err != nil, held.IsComplete == nil, bool(*held.IsComplete):
			return refused
		}
		return say.ErrorAt(ctx, path.Root("id"), "inbound.no_document", text.With{
			"invoice": id, "status": string(held.Status), "declared": declared(held),
		})
	}
	return message.ReadError(ctx, "inbound invoice", "id", id, einvoice.ErrNotFound)
}

// isSummary reports whether a document is the authority's summary of an NF-e.
func isSummary(document []byte) bool {
	return bytes.Contains(document[:min(len(document), 512)], []byte("<resNFe"))
}

// syncOutcomes are the outcomes of an attempt (specification: Inbound sync status). The first are healthy:
// neverAttempted too, because a check on a new company must not fail for its first hour.
var syncOutcomes = []string{
	"neverAttempted", "synchronized", "upToDate", "throttledByAuthority", "communicationFailure", "unexpectedResponse",
	"documentApplyFailure", "certificateMissingOrExpired", "unexpectedError",
}

// isHealthy reports whether an outcome is all right. One that is not known here may be a failure.
func isHealthy(outcome string) bool { return slices.Contains(syncOutcomes[:3], outcome) }

// syncFields are those of the status of the search, with advice in the language of the context.
func syncFields(ctx context.Context) func(*einvoice.SyncStatus) shown.Fields {
	return func(s *einvoice.SyncStatus) shown.Fields {
		healthy := isHealthy(string(s.LastAttemptOutcome))
		advice := text.Of("inbound.advice", text.With{"outcome": string(s.LastAttemptOutcome)}).In(ctx)
		return shown.Fields{
			"last_nsu": shown.Int("Sequential number (NSU) of the last document that the search has read. `0` until a "+
				"search has completed.", s.LastNSU),
			"last_sync_at":         shown.Text("When the last search completed; null until one has.", s.LastSyncAt),
			"next_allowed_sync_at": shown.Text("When the next search may be requested.", s.NextAllowedSyncAt),
			"last_attempt_outcome": shown.Text("How the last search went: "+attribute.WordList(syncOutcomes)+".",
				s.LastAttemptOutcome),
			"last_attempt_message": shown.Text("Message of the authority about the last search, if any.",
				s.LastAttemptMessage),
			"last_attempt_at": shown.Text("When the last search was made, even if it failed.", s.LastAttemptAt),
			"healthy": shown.Flag("Whether the last search went well: `synchronized` or `upToDate`. Also true for "+
				"`neverAttempted`, because nothing has failed. False for an outcome that this version does not know.",
				(*einvoice.Flag)(&healthy)),
			"advice": shown.Text("What to do about the outcome, in a sentence or two.", advice),
		}
	}
}

// NewSyncStatusDataSource is einvoice_inbound_sync_status. The service's dates are in the
// company's time zone and have no offset, so that they are shown as they come.
func NewSyncStatusDataSource() datasource.DataSource {
	return &session.DataSource[types.Object]{
		Company: companyArgument, Name: "inbound_sync_status", Attributes: shown.Attributes(syncFields(context.Background())),
		Description: "The status of the service's search for invoices that were issued to the company, and what to " +
			"do about it. Times are in the company's time zone.",
		Fill: func(ctx context.Context, reading *session.Session, m *types.Object) diag.Diagnostics {
			status, err := reading.Client.InboundSyncStatus(ctx)
			if err != nil {
				return message.APIError(ctx, message.Task("read", "inbound_sync_status"), err, nil)
			}
			*m = syncFields(ctx)(status).Into(ctx, *m)
			return nil
		},
	}
}

type listModel struct {
	Company             attribute.Spelled `tfsdk:"company"`
	AccessKey           types.String      `tfsdk:"access_key"`
	Statuses            []types.String    `tfsdk:"statuses"`
	ManifestationStatus types.String      `tfsdk:"manifestation_status"`
	OperationType       types.String      `tfsdk:"operation_type"`
	EnvironmentType     types.String      `tfsdk:"environment_type"`
	IssuedFrom          types.String      `tfsdk:"issued_from"`
	IssuedTo            types.String      `tfsdk:"issued_to"`
	Limit               types.Int64       `tfsdk:"limit"`
	Raw                 types.Bool        `tfsdk:"raw"`
	Invoices            []types.Object    `tfsdk:"invoices"`
}

// filter returns what the service is asked for, and what reports whether an invoice matches. The specification names
// the filters and not their query parameters, so that each is applied to the answer too.
func (m *listModel) filter() (request einvoice.InboundFilter, matches func(*einvoice.InboundInvoice) bool) {
	dates := attribute.DatesFrom(m.IssuedFrom, m.IssuedTo)
	f := einvoice.InboundFilter{
		AccessKey:           plainAccessKey(m.AccessKey.ValueString()),
		ManifestationStatus: m.ManifestationStatus.ValueString(),
		OperationType:       m.OperationType.ValueString(),
		EnvironmentType:     m.EnvironmentType.ValueString(),
		IssuedFrom:          dates.From,
		IssuedTo:            dates.Until,
	}
	for _, status := range m.Statuses {
		f.Statuses = append(f.Statuses, status.ValueString())
	}
	if request = f; len(f.Statuses) > 1 {
		request.Statuses = nil // How several are written is not specified: a service may read only the first.
	}
	return request, func(v *einvoice.InboundInvoice) bool {
		return (f.AccessKey == "" || plainAccessKey(string(v.AccessKey)) == f.AccessKey) &&
			(len(f.Statuses) == 0 || slices.Contains(f.Statuses, string(v.Status))) &&
			(f.ManifestationStatus == "" || declared(v) == f.ManifestationStatus) &&
			(f.OperationType == "" || string(v.OperationType) == f.OperationType) &&
			(f.EnvironmentType == "" || string(v.EnvironmentType) == f.EnvironmentType) &&
			dates.Has(v.IssuedOn)
	}
}

// NewListDataSource is einvoice_inbound_invoices.
func NewListDataSource() datasource.DataSource {
	return &session.DataSource[listModel]{
		Company: companyArgument, Name: "inbound_invoices", Fill: readInvoices,
		Description: "The NF-e that were issued to the company and match all filters, from the newest to the " +
			"oldest. Needs the key of the receiver.",
		Attributes: map[string]schema.Attribute{
			"access_key": attribute.TextFilter(
				"Only the invoice with this key: 44 characters, with or without spaces.", accessKeyValidator),
			"statuses": attribute.WordsFilter("Only invoices with one of these statuses", inboundStatuses),
			"manifestation_status": attribute.WordFilter(
				"Only invoices about which the company has declared this", manifestationStatuses),
			"operation_type": attribute.WordFilter(
				"Only invoices of this direction, from the issuer's point of view", operationTypes),
			"environment_type": attribute.WordFilter("Only invoices of this environment", einvoice.EnvironmentTypes),
			"issued_from":      attribute.DateFilter("Only invoices issued from this date or date-time on, inclusive."),
			"issued_to": attribute.DateFilter("Only invoices issued up to this date-time, or the end of this " +
				"date, inclusive."),
			"limit":    attribute.Limit("invoices"),
			"raw":      attribute.RawArgument,
			"invoices": shown.List("The invoices, in the order of the service; empty when none match.", invoiceFields),
		},
	}
}

func readInvoices(ctx context.Context, reading *session.Session, m *listModel) (diags diag.Diagnostics) {
	request, matches := m.filter()
	listing := session.Listing[einvoice.InboundInvoice, types.Object]{
		Plural: "inbound_invoices", Limit: m.Limit,
		Advice:  text.Of("inbound.narrow", nil),
		Entries: reading.Client.InboundInvoices(ctx, request), Matches: matches,
		Model: func(v *einvoice.InboundInvoice) types.Object {
			if !m.Raw.ValueBool() {
				v.Raw = nil
			}
			v.Model = cmp.Or(v.Model, einvoice.ModelProduct)
			return shown.Value(v, invoiceFields)
		},
	}
	m.Invoices, diags = listing.Read(ctx)
	return diags
}

// plainAccessKey is a key without the spaces that a printed one has.
func plainAccessKey(text string) string {
	return strings.ToUpper(strings.Join(strings.Fields(text), ""))
}

var accessKeyForm = regexp.MustCompile(`^[0-9]{6}[0-9A-Z]{12}[0-9]{26}$`)

// accessKeyValidator accepts the key of an NF-e. Since July 2026 the CNPJ in it may have
// letters.
var accessKeyValidator = attribute.TextCheck{
	Rule: text.Of("rule.access_key", nil),
	Check: func(c attribute.Checked) {
		key := plainAccessKey(c.Text)
		if !accessKeyForm.MatchString(key) {
			c.Refuse("35261111222333000181550010000001011000000010",
				text.Of("value.characters", text.With{"length": len([]rune(key))}))
			return
		}
		if _, err := fiscal.ParseAccessKey(key); err != nil {
			c.Warning("inbound.unusual_key", text.With{"cause": message.Cause(err)})
		}
	},
}
