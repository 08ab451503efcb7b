package inbound

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*inboundInvoicesDataSource)(nil)

// NewListDataSource is einvoice_inbound_invoices.
func NewListDataSource() datasource.DataSource {
	return &inboundInvoicesDataSource{}
}

// inboundInvoicesDataSource reads the NF-e issued against the company. The list
// is walked by cursor. The specification names its filters and not their query
// parameters, so every filter is applied again here.
type inboundInvoicesDataSource struct {
	session.DataSourceBase
}

type inboundInvoicesDataModel struct {
	Company             attribute.Spelled      `tfsdk:"company"`
	AccessKey           types.String           `tfsdk:"access_key"`
	Statuses            []types.String         `tfsdk:"statuses"`
	ManifestationStatus types.String           `tfsdk:"manifestation_status"`
	OperationType       types.String           `tfsdk:"operation_type"`
	EnvironmentType     types.String           `tfsdk:"environment_type"`
	IssuedFrom          types.String           `tfsdk:"issued_from"`
	IssuedTo            types.String           `tfsdk:"issued_to"`
	Limit               types.Int64            `tfsdk:"limit"`
	Raw                 types.Bool             `tfsdk:"raw"`
	Invoices            []*inboundInvoiceModel `tfsdk:"invoices"`
}

// inboundWish is what the list is narrowed to. The zero value of each field
// narrows nothing.
type inboundWish struct {
	einvoice.InboundFilter
	from, until time.Time // both inclusive
}

func (m *inboundInvoicesDataModel) wish() *inboundWish {
	wish := &inboundWish{InboundFilter: einvoice.InboundFilter{
		AccessKey:           plainAccessKey(m.AccessKey.ValueString()),
		ManifestationStatus: m.ManifestationStatus.ValueString(),
		OperationType:       m.OperationType.ValueString(),
		EnvironmentType:     m.EnvironmentType.ValueString(),
	}}
	for _, status := range m.Statuses {
		wish.Statuses = append(wish.Statuses, status.ValueString())
	}
	wish.from, _, _ = attribute.ParseDate(m.IssuedFrom.ValueString()) // Checked by the validator.
	_, wish.until, _ = attribute.ParseDate(m.IssuedTo.ValueString())
	wish.IssuedFrom = attribute.SentDate(m.IssuedFrom.ValueString(), wish.from)
	wish.IssuedTo = attribute.SentDate(m.IssuedTo.ValueString(), wish.until)
	return wish
}

func (w *inboundWish) matches(v *einvoice.InboundInvoice) bool {
	return (w.AccessKey == "" || plainAccessKey(string(v.AccessKey)) == w.AccessKey) &&
		(len(w.Statuses) == 0 || slices.Contains(w.Statuses, string(v.Status))) &&
		(w.ManifestationStatus == "" || declared(v) == w.ManifestationStatus) &&
		(w.OperationType == "" || string(v.OperationType) == w.OperationType) &&
		(w.EnvironmentType == "" || string(v.EnvironmentType) == w.EnvironmentType) &&
		attribute.Within(string(v.IssuedOn), w.from, w.until)
}

// asked is what the service is asked for. Of several statuses it is asked for
// none: how they are written is not specified, and a service that read only the
// first would leave out what was wanted.
func (w *inboundWish) asked() einvoice.InboundFilter {
	filter := w.InboundFilter
	if len(filter.Statuses) > 1 {
		filter.Statuses = nil
	}
	return filter
}

func (d *inboundInvoicesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_invoices"
}

func (d *inboundInvoicesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The NF-e that were issued against the company and match all filters, from the newest to the oldest. All pages are read. " +
			"The service is asked to filter, and every filter is applied again here. Needs the key of the company that received them.",
		Attributes: map[string]schema.Attribute{
			companyArgument: attribute.IssuerArgument(),
			"access_key": schema.StringAttribute{
				MarkdownDescription: "Only the invoice with this key: 44 characters, with or without spaces.",
				Optional:            true,
				Validators:          []validator.String{accessKeyValidator},
			},
			"statuses":             attribute.WordsFilter("Only invoices with one of these statuses at the authority", inboundStatuses),
			"manifestation_status": attribute.WordFilter("Only invoices about which the company has declared this", manifestationStatuses),
			"operation_type":       attribute.WordFilter("Only invoices of this direction, from the issuer's point of view", operationTypes),
			"environment_type":     attribute.WordFilter("Only invoices of this environment", einvoice.EnvironmentTypes),
			"issued_from":          attribute.DateFilter("Only invoices issued from this date or date-time on, inclusive."),
			"issued_to":            attribute.DateFilter("Only invoices issued up to this date or date-time, inclusive; a date means until the end of that day."),
			"limit":                attribute.Limit("invoices"),
			"raw":                  attribute.RawArgument,
			"invoices": schema.ListNestedAttribute{
				MarkdownDescription: "The invoices, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: inboundInvoiceAttributes()},
			},
		},
	}
}

func (d *inboundInvoicesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config inboundInvoicesDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	d = &inboundInvoicesDataSource{reading}
	wish := config.wish()
	listing := session.Listing[einvoice.InboundInvoice, inboundInvoiceModel]{
		Task: "read inbound invoices", Plural: "invoices", Limit: config.Limit, Advice: "Set filters such as `issued_from` and `issued_to`",
		Entries: d.Client.InboundInvoices(ctx, wish.asked()), Matches: wish.matches,
		Model: func(v *einvoice.InboundInvoice) inboundInvoiceModel {
			if !config.Raw.ValueBool() {
				v.Raw = nil
			}
			return inboundInvoiceFromAPI(v, einvoice.ModelProduct)
		},
	}
	config.Invoices, diags = listing.Read(ctx)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}

// plainAccessKey takes out the spaces that a printed key has.
func plainAccessKey(text string) string {
	return strings.ToUpper(strings.Join(strings.Fields(text), ""))
}

var accessKeyForm = regexp.MustCompile(`^[0-9]{6}[0-9A-Z]{12}[0-9]{26}$`)

// accessKeyValidator accepts the key of an NF-e. Since July 2026 the CNPJ in it
// may have letters.
var accessKeyValidator = attribute.TextCheck{Rule: "the access key of an NF-e, 44 characters: digits, and letters only in the CNPJ", Check: func(c attribute.Checked) {
	key := plainAccessKey(c.Text)
	if !accessKeyForm.MatchString(key) {
		c.Refuse("35261111222333000181550010000001011000000010", fmt.Sprintf("This one has %d characters.", len([]rune(key))))
		return
	}
	if _, err := fiscal.ParseAccessKey(key); err != nil {
		c.Warn("Unusual access key", fmt.Sprintf("`%s` is %q: %s. No authorized invoice has such a key.", c.Path, c.Text, strings.TrimPrefix(err.Error(), "access key: ")))
	}
}}
