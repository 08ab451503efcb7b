package invoice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*disablementsDataSource)(nil)

// NewDisablementsDataSource returns the data source einvoice_disablements.
func NewDisablementsDataSource() datasource.DataSource { return &disablementsDataSource{} }

// disablementsDataSource reads the ranges of NF-e numbers that were declared unused. Nobody
// specifies the names of the list's query parameters, so every filter is applied again here.
type disablementsDataSource struct {
	session.DataSourceBase
}

// disablementStatuses are the service's words (specification: Disablement).
var disablementStatuses = []string{"inProcessing", "registered", "rejected", "error"}

type disablementsModel struct {
	Issuer       attribute.Spelled `tfsdk:"issuer"`
	StartDate    types.String      `tfsdk:"start_date"`
	EndDate      types.String      `tfsdk:"end_date"`
	Status       types.String      `tfsdk:"status"`
	Limit        types.Int64       `tfsdk:"limit"`
	Disablements types.List        `tfsdk:"disablements"`
}

func disablementFields(v *einvoice.Disablement) fields {
	return fields{
		"id":              text("Identifier at the service (a UUID).", v.ID),
		"identifier":      text("Identifier of the request at the authority.", v.Identifier),
		"date":            text("Date of the request.", v.Date),
		"initial_number":  number("First number of the range.", v.InitialNumber),
		"final_number":    number("Last number of the range.", v.FinalNumber),
		"series":          text("Series.", v.Series),
		"reason":          text("Reason that was given.", v.Reason),
		"protocol_number": text("Protocol of the authority; null until it has registered the range.", v.ProtocolNumber),
		"status":          text("Status: "+attribute.WordList(disablementStatuses)+", or a newer one.", v.Status),
		"environment":     text("Environment: "+attribute.WordList(einvoice.EnvironmentTypes)+".", v.Environment),
		"message_code":    text("Code of the authority's response.", v.MessageCode),
		"message_text":    text("Text of the authority's response.", v.MessageText),
	}
}

func (d *disablementsDataSource) Metadata(
	_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = "einvoice_disablements"
}

func (d *disablementsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The ranges of NF-e numbers that the company has declared unused (inutilização) and " +
			"that match all filters. The data source reads all pages, and applies each filter again to what the " +
			"service returns. Needs the company's key.",
		Attributes: map[string]schema.Attribute{
			"issuer":     attribute.IssuerArgument(),
			"start_date": attribute.DateFilter("Only those from this date or date-time on, inclusive."),
			"end_date": attribute.DateFilter("Only those up to this date or date-time, inclusive; a date means until " +
				"the end of that day."),
			"status": attribute.WordFilter("Only those with this status", disablementStatuses),
			"limit":  attribute.Limit("ranges"),
			"disablements": schema.ListNestedAttribute{
				MarkdownDescription: "The ranges, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: attributesOf(disablementFields)},
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
	from, _, _ := attribute.ParseDate(config.StartDate.ValueString()) // Checked by the validator.
	_, until, _ := attribute.ParseDate(config.EndDate.ValueString())
	status := config.Status.ValueString()
	filter := einvoice.DisablementFilter{
		Status:    status,
		StartDate: attribute.SentDate(config.StartDate.ValueString(), from),
		EndDate:   attribute.SentDate(config.EndDate.ValueString(), until),
	}
	listing := session.Listing[einvoice.Disablement, types.Object]{
		Task: "read disablements", Plural: "disablements", Limit: config.Limit,
		Advice:  "Set filters such as `start_date` and `end_date`",
		Entries: reading.Client.Disablements(ctx, einvoice.ModelProduct, filter),
		Matches: func(v *einvoice.Disablement) bool {
			return (status == "" || string(v.Status) == status) && attribute.Within(string(v.Date), from, until)
		},
		Model: func(v *einvoice.Disablement) types.Object { return objectOf(v, disablementFields) },
	}
	disablements, diags := listing.Read(ctx)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("disablements"), disablements)...)
	}
}
