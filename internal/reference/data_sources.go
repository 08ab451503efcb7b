// Package reference is the data sources of what is the same for every company: the
// cities whose NFS-e the service offers, and examples of payloads.
package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type serviceCitiesDataModel struct {
	Code   types.String      `tfsdk:"code"`
	State  attribute.Spelled `tfsdk:"state"`
	Limit  types.Int64       `tfsdk:"limit"`
	Cities []types.Object    `tfsdk:"cities"`
}

func cityFields(v *einvoice.ServiceCity) shown.Fields {
	provider := v.Provider
	if provider == nil {
		provider = &einvoice.CityProvider{}
	}
	return shown.Fields{
		"code":  shown.Text("IBGE municipal code, 7 digits.", v.Code),
		"name":  shown.Text("Name of the city.", v.Name),
		"state": shown.Text("Two-letter code of the state. Compare it regardless of case.", v.State),
		"provider_name": shown.Text("System of the city, or `national` for the national environment.",
			provider.Name),
		"provider_options_json": shown.Text("What the system needs and supports, as JSON: "+
			"for example whether numbers must be sent in sequence, or how the company logs in.",
			compactJSON(provider.Options)),
		"national_service_invoice_regimes": shown.Texts("Tax regimes for which the city has adopted the "+
			"national environment: `none`, `all`, `mei`, `simplesNacional` or `regimeNormal`. Null if it is not shown.",
			v.NationalRegimes),
	}
}

// NewServiceCitiesDataSource is einvoice_service_cities. Its query is assumed, so both filters are
// applied again here.
func NewServiceCitiesDataSource() datasource.DataSource {
	return &session.DataSource[serviceCitiesDataModel]{
		Name: "service_cities", Fill: readCities,
		Description: "The cities in which NFS-e can be issued, and the system of each. Each city needs " +
			"different fields: see the samples in `einvoice_payload_examples`. Without a filter, the list has more " +
			"than a thousand cities.",
		Attributes: map[string]schema.Attribute{
			"code": attribute.TextFilter("Only the city with this IBGE municipal code, 7 digits.",
				attribute.TextValidator{}, attribute.CityCodeValidator),
			"state": schema.StringAttribute{
				MarkdownDescription: "Only the cities of this state: its two-letter code, in upper or lower case.",
				CustomType:          attribute.SpelledType{Spelling: attribute.StateSpelling},
				Optional:            true,
				Validators:          []validator.String{attribute.StateValidator},
			},
			"limit": schema.Int64Attribute{
				MarkdownDescription: "The data source fails if more cities than this match. No limit by default.",
				Optional:            true,
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
			},
			"cities": shown.List("The cities, in the order of the service. Empty if no city matches.", cityFields),
		},
	}
}

func readCities(ctx context.Context, reading *session.Session, m *serviceCitiesDataModel) (diags diag.Diagnostics) {
	code, state := m.Code.ValueString(), m.State.ValueString()
	listing := session.Listing[einvoice.ServiceCity, types.Object]{
		Plural: "service_cities",
		Limit:  m.Limit, Default: math.MaxInt64, Advice: text.Of("reference.narrow", nil),
		Entries: reading.Client.ServiceCities(ctx, code, state),
		Model:   func(v *einvoice.ServiceCity) types.Object { return shown.Value(v, cityFields) },
		Matches: func(v *einvoice.ServiceCity) bool {
			inState := state == "" || attribute.StateSpelling.Same(string(v.State), state)
			return inState && (code == "" || string(v.Code) == code)
		},
	}
	m.Cities, diags = listing.Read(ctx)
	return diags
}

type payloadExamplesModel struct {
	CityCode types.String   `tfsdk:"city_code"`
	Examples []types.Object `tfsdk:"examples"`
}

func exampleFields(e *einvoice.PayloadExample) shown.Fields {
	return shown.Fields{
		"provider": shown.Text("System of the city, or `national` for the national environment.", e.Provider),
		"source_issued_on": shown.Text("Date of the invoice that the sample comes from.",
			e.SourceIssuedOn),
		"body_json": shown.Text("The payload, as JSON. Decode it with `jsondecode`, and take what you need for "+
			"the `payload_json` of an `einvoice_invoice_issuance`. Send `rpsNumber`, `rpsSeries` and `batchNumber` "+
			"only if you control the numbering.", compactJSON(e.Body)),
	}
}

// compactJSON removes the white space between the values, so that a text does not change with the
// service's formatting.
func compactJSON(text json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Compact(&b, text) // It is part of an answer that was JSON.
	return b.String()
}

// NewPayloadExamplesDataSource is einvoice_payload_examples. Only the provider and the date of an
// example are specified.
func NewPayloadExamplesDataSource() datasource.DataSource {
	return &session.DataSource[payloadExamplesModel]{
		Name: "payload_examples", Fill: readExamples,
		Description: "Sample payloads for the NFS-e of a city, with the codes that the city accepts. You " +
			"may send other fields too. A city that uses the national environment for some regimes has two samples.",
		Attributes: map[string]schema.Attribute{
			"city_code": attribute.RequiredText("IBGE municipal code, 7 digits.", attribute.CityCodeValidator),
			"examples":  shown.List("The samples. It may be empty: not every city has a sample.", exampleFields),
		},
	}
}

func readExamples(ctx context.Context, reading *session.Session, m *payloadExamplesModel) diag.Diagnostics {
	code := m.CityCode.ValueString()
	examples, err := reading.Client.PayloadExamples(ctx, code)
	if errors.Is(err, einvoice.ErrNotFound) {
		return say.ErrorAt(ctx, path.Root("city_code"), "reference.city_not_found", text.With{"code": code})
	}
	if err != nil {
		return message.APIError(ctx, message.Task("read", "payload_examples"), err, nil)
	}
	m.Examples = []types.Object{}
	for _, example := range examples {
		m.Examples = append(m.Examples, shown.Value(&example, exampleFields))
	}
	return nil
}
