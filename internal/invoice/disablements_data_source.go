package invoice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

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
		"message_code": shown.Text("Code of the authority's answer.", v.MessageCode),
		"message_text": shown.Text("Text of the authority's answer.", v.MessageText),
	}
}

// NewDisablementsDataSource is einvoice_disablements, the ranges of NF-e numbers that were declared
// unused. Nobody specifies the list's query parameters, so every filter is applied again here.
func NewDisablementsDataSource() datasource.DataSource {
	return &session.DataSource[disablementsModel]{
		Company: "issuer", Name: "disablements", Fill: readDisablements,
		Description: "The ranges of NF-e numbers that the company has declared unused (inutilização) and " +
			"that match all filters. All pages are read. The service is asked to filter, and every filter is applied " +
			"again here. Needs the company's key.",
		Attributes: map[string]schema.Attribute{
			"start_date": attribute.DateFilter("Only those from this date or date-time on, inclusive."),
			"end_date": attribute.DateFilter("Only those up to this date or date-time, inclusive; a date means until " +
				"the end of that day."),
			"status": attribute.WordFilter("Only those with this status", disablementStatuses),
			"limit":  attribute.Limit("ranges"),
			"disablements": schema.ListNestedAttribute{
				MarkdownDescription: "The ranges, in the order of the service; empty when none match.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: shown.Attributes(disablementFields)},
			},
		},
	}
}

func readDisablements(ctx context.Context, reading *session.Session, m *disablementsModel) (diags diag.Diagnostics) {
	status, dates := m.Status.ValueString(), attribute.DatesFrom(m.StartDate, m.EndDate)
	filter := einvoice.DisablementFilter{Status: status, StartDate: dates.From, EndDate: dates.Until}
	listing := session.Listing[einvoice.Disablement, types.Object]{
		Task: "read disablements", Plural: "disablements", Limit: m.Limit,
		Advice:  "Set filters such as `start_date` and `end_date`",
		Entries: reading.Client.Disablements(ctx, einvoice.ModelProduct, filter),
		Matches: func(v *einvoice.Disablement) bool {
			return (status == "" || string(v.Status) == status) && dates.Has(v.Date)
		},
		Model: func(v *einvoice.Disablement) types.Object { return shown.Value(v, disablementFields) },
	}
	m.Disablements, diags = listing.Read(ctx)
	return diags
}
