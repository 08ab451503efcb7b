package invoice

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*disablementsDataSource)(nil)

// NewDisablementsDataSource returns the data source einvoice_disablements.
func NewDisablementsDataSource() datasource.DataSource { return &disablementsDataSource{} }

// disablementsDataSource reads the ranges of NF-e numbers that were declared
// unused. The names of the list's query parameters are not specified, so every
// filter is applied again here.
type disablementsDataSource struct {
	session.DataSourceBase
}

// disablementStatuses are the service's words (specification: Disablement).
var disablementStatuses = []string{"inProcessing", "registered", "rejected", "error"}

type disablementsModel struct {
	Issuer       attribute.Spelled   `tfsdk:"issuer"`
	StartDate    types.String        `tfsdk:"start_date"`
	EndDate      types.String        `tfsdk:"end_date"`
	Status       types.String        `tfsdk:"status"`
	Limit        types.Int64         `tfsdk:"limit"`
	Disablements []*disablementModel `tfsdk:"disablements"`
}

type disablementModel struct {
	ID             types.String `tfsdk:"id"`
	Identifier     types.String `tfsdk:"identifier"`
	Date           types.String `tfsdk:"date"`
	InitialNumber  types.Int64  `tfsdk:"initial_number"`
	FinalNumber    types.Int64  `tfsdk:"final_number"`
	Series         types.String `tfsdk:"series"`
	Reason         types.String `tfsdk:"reason"`
	ProtocolNumber types.String `tfsdk:"protocol_number"`
	Status         types.String `tfsdk:"status"`
	Environment    types.String `tfsdk:"environment"`
	MessageCode    types.String `tfsdk:"message_code"`
	MessageText    types.String `tfsdk:"message_text"`
}

func disablementFromAPI(v *einvoice.Disablement) disablementModel {
	return disablementModel{
		ID:             attribute.TextOrNull(v.ID),
		Identifier:     attribute.TextOrNull(v.Identifier),
		Date:           attribute.TextOrNull(v.Date),
		InitialNumber:  attribute.IntOrNull(v.InitialNumber),
		FinalNumber:    attribute.IntOrNull(v.FinalNumber),
		Series:         attribute.TextOrNull(v.Series),
		Reason:         attribute.TextOrNull(v.Reason),
		ProtocolNumber: attribute.TextOrNull(v.ProtocolNumber),
		Status:         attribute.TextOrNull(v.Status),
		Environment:    attribute.TextOrNull(v.Environment),
		MessageCode:    attribute.TextOrNull(v.MessageCode),
		MessageText:    attribute.TextOrNull(v.MessageText),
	}
}

// disablementWish is what the list is narrowed to. The zero value of each field
// narrows nothing.
type disablementWish struct {
	einvoice.DisablementFilter
	from, until time.Time // both inclusive
}

func (w *disablementWish) matches(v *einvoice.Disablement) bool {
	return (w.Status == "" || string(v.Status) == w.Status) && attribute.Within(string(v.Date), w.from, w.until)
}

func (m *disablementsModel) wish() *disablementWish {
	wish := &disablementWish{DisablementFilter: einvoice.DisablementFilter{Status: m.Status.ValueString()}}
	wish.from, _, _ = attribute.ParseDate(m.StartDate.ValueString()) // Checked by the validator.
	_, wish.until, _ = attribute.ParseDate(m.EndDate.ValueString())
	wish.StartDate = attribute.SentDate(m.StartDate.ValueString(), wish.from)
	wish.EndDate = attribute.SentDate(m.EndDate.ValueString(), wish.until)
	return wish
}

func (d *disablementsDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_disablements"
}

func (d *disablementsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The ranges of NF-e numbers that the company has declared unused (inutilização) and that match all filters. All pages are read. " +
			"The service is asked to filter, and every filter is applied again here. Needs the company's key.",
		Attributes: map[string]schema.Attribute{
			"issuer":     attribute.IssuerArgument(),
			"start_date": attribute.DateFilter("Only those from this date or date-time on, inclusive."),
			"end_date":   attribute.DateFilter("Only those up to this date or date-time, inclusive; a date means until the end of that day."),
			"status":     attribute.WordFilter("Only those with this status", disablementStatuses),
			"limit":      attribute.Limit("ranges"),
			"disablements": schema.ListNestedAttribute{
				MarkdownDescription: "The ranges, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":              attribute.ComputedText("Identifier at the service (a UUID)."),
					"identifier":      attribute.ComputedText("Identifier of the request at the authority."),
					"date":            attribute.ComputedText("Date of the request."),
					"initial_number":  schema.Int64Attribute{MarkdownDescription: "First number of the range.", Computed: true},
					"final_number":    schema.Int64Attribute{MarkdownDescription: "Last number of the range.", Computed: true},
					"series":          attribute.ComputedText("Series."),
					"reason":          attribute.ComputedText("Reason that was given."),
					"protocol_number": attribute.ComputedText("Protocol of the authority; null until it has registered the range."),
					"status":          attribute.ComputedText("Status: " + attribute.WordList(disablementStatuses) + ", or a newer one."),
					"environment":     attribute.ComputedText("Environment: " + attribute.WordList(einvoice.EnvironmentTypes) + "."),
					"message_code":    attribute.ComputedText("Code of the authority's answer."),
					"message_text":    attribute.ComputedText("Text of the authority's answer."),
				}},
			},
		},
	}
}

func (d *disablementsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config disablementsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	d = &disablementsDataSource{reading}
	wish := config.wish()
	listing := session.Listing[einvoice.Disablement, disablementModel]{
		Task: "read disablements", Plural: "disablements", Limit: config.Limit, Advice: "Set filters such as `start_date` and `end_date`",
		Entries: d.Client.Disablements(ctx, einvoice.ModelProduct, wish.DisablementFilter), Matches: wish.matches, Model: disablementFromAPI,
	}
	config.Disablements, diags = listing.Read(ctx)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}
