package inbound

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

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

// filter is what a list is narrowed to. The specification names the filters and not their
// query parameters, so that each is applied to the answer too.
type filter struct {
	einvoice.InboundFilter
	dates attribute.Dates
}

func (m *listModel) filter() *filter {
	dates := attribute.DatesFrom(m.IssuedFrom, m.IssuedTo)
	f := &filter{dates: dates, InboundFilter: einvoice.InboundFilter{
		AccessKey:           plainAccessKey(m.AccessKey.ValueString()),
		ManifestationStatus: m.ManifestationStatus.ValueString(),
		OperationType:       m.OperationType.ValueString(),
		EnvironmentType:     m.EnvironmentType.ValueString(),
		IssuedFrom:          dates.From,
		IssuedTo:            dates.Until,
	}}
	for _, status := range m.Statuses {
		f.Statuses = append(f.Statuses, status.ValueString())
	}
	return f
}

func (f *filter) matches(v *einvoice.InboundInvoice) bool {
	return (f.AccessKey == "" || plainAccessKey(string(v.AccessKey)) == f.AccessKey) &&
		(len(f.Statuses) == 0 || slices.Contains(f.Statuses, string(v.Status))) &&
		(f.ManifestationStatus == "" || declared(v) == f.ManifestationStatus) &&
		(f.OperationType == "" || string(v.OperationType) == f.OperationType) &&
		(f.EnvironmentType == "" || string(v.EnvironmentType) == f.EnvironmentType) &&
		f.dates.Has(v.IssuedOn)
}

// request is what the service is asked for. How several statuses are written is not
// specified: a service that read only the first would leave out invoices.
func (f *filter) request() einvoice.InboundFilter {
	request := f.InboundFilter
	if len(request.Statuses) > 1 {
		request.Statuses = nil
	}
	return request
}

// NewListDataSource is einvoice_inbound_invoices.
func NewListDataSource() datasource.DataSource {
	return &session.DataSource[listModel]{
		Company: companyArgument, Name: "inbound_invoices", Fill: readInvoices,
		Description: "The NF-e that were issued to the company and match all filters, from the newest to the " +
			"oldest. Needs the key of the recipient.",
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
			"limit": attribute.Limit("invoices"),
			"raw":   attribute.RawArgument,
			"invoices": schema.ListNestedAttribute{
				MarkdownDescription: "The invoices, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: shown.Attributes(invoiceFields)},
			},
		},
	}
}

func readInvoices(ctx context.Context, reading *session.Session, m *listModel) (diags diag.Diagnostics) {
	filter := m.filter()
	listing := session.Listing[einvoice.InboundInvoice, types.Object]{
		Task: "read inbound invoices", Plural: "invoices", Limit: m.Limit,
		Advice:  "Set filters such as `issued_from` and `issued_to`",
		Entries: reading.Client.InboundInvoices(ctx, filter.request()), Matches: filter.matches,
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
	Rule: "the access key of an NF-e, 44 characters: digits, and letters only in the CNPJ",
	Check: func(c attribute.Checked) {
		key := plainAccessKey(c.Text)
		if !accessKeyForm.MatchString(key) {
			c.Refuse("35261111222333000181550010000001011000000010",
				fmt.Sprintf("This one has %d characters.", len([]rune(key))))
			return
		}
		if _, err := fiscal.ParseAccessKey(key); err != nil {
			c.Warn("Unusual access key", fmt.Sprintf("`%s` is %q: %s. No authorized invoice has such a key.",
				c.Path, c.Text, strings.TrimPrefix(err.Error(), "access key: ")))
		}
	},
}
