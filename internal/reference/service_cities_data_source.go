// Package reference is the data sources of what is the same for every company: the
// cities whose NFS-e the service offers, and examples of payloads.
package reference

import (
	"context"
	"math"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*citiesSource)(nil)

// NewServiceCitiesDataSource is einvoice_service_cities.
func NewServiceCitiesDataSource() datasource.DataSource { return &citiesSource{} }

// citiesSource reads the cities that service invoices can be issued in. Its query is assumed, so
// both filters are applied again here.
type citiesSource struct {
	session.DataSourceBase
}

type serviceCitiesDataModel struct {
	Code   types.String        `tfsdk:"code"`
	State  attribute.Spelled   `tfsdk:"state"`
	Limit  types.Int64         `tfsdk:"limit"`
	Cities []*serviceCityModel `tfsdk:"cities"`
}

type serviceCityModel struct {
	Code                          types.String   `tfsdk:"code"`
	Name                          types.String   `tfsdk:"name"`
	State                         types.String   `tfsdk:"state"`
	ProviderName                  types.String   `tfsdk:"provider_name"`
	ProviderOptionsJSON           types.String   `tfsdk:"provider_options_json"`
	NationalServiceInvoiceRegimes []types.String `tfsdk:"national_service_invoice_regimes"`
}

func serviceCityFromAPI(v *einvoice.ServiceCity) serviceCityModel {
	m := serviceCityModel{
		Code:                attribute.TextOrNull(v.Code),
		Name:                attribute.TextOrNull(v.Name),
		State:               attribute.TextOrNull(v.State),
		ProviderName:        types.StringNull(),
		ProviderOptionsJSON: types.StringNull(),
	}
	if p := v.Provider; p != nil {
		m.ProviderName = attribute.TextOrNull(p.Name)
		m.ProviderOptionsJSON = compactJSON(p.Options)
	}
	if v.NationalRegimes != nil {
		m.NationalServiceInvoiceRegimes = []types.String{}
		for _, regime := range v.NationalRegimes {
			m.NationalServiceInvoiceRegimes = append(m.NationalServiceInvoiceRegimes, attribute.TextOrNull(regime))
		}
	}
	return m
}

var cityCode = []validator.String{attribute.TextValidator{}, attribute.CityCodeValidator}

func (d *citiesSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_service_cities"
}

func (d *citiesSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The cities in which NFS-e can be issued, and the system of each. Each city needs " +
			"different fields: see the samples in `einvoice_payload_examples`. Without a filter, the list has more " +
			"than a thousand cities.",
		Attributes: map[string]schema.Attribute{
			"code": schema.StringAttribute{
				MarkdownDescription: "Only the city with this IBGE municipal code, 7 digits.",
				Optional:            true,
				Validators:          cityCode,
			},
			"state": schema.StringAttribute{
				MarkdownDescription: "Only the cities of this state: its two-letter code, in any case.",
				CustomType:          attribute.SpelledType{Spelling: attribute.StateSpelling},
				Optional:            true,
				Validators:          []validator.String{attribute.StateValidator},
			},
			"limit": schema.Int64Attribute{
				MarkdownDescription: "The data source fails if more cities than this match. No limit by default.",
				Optional:            true,
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
			},
			"cities": schema.ListNestedAttribute{
				MarkdownDescription: "The cities, in the order of the service. Empty if no city matches.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"code":  attribute.ComputedText("IBGE municipal code, 7 digits."),
					"name":  attribute.ComputedText("Name of the city."),
					"state": attribute.ComputedText("Two-letter code of the state. Compare it regardless of case."),
					"provider_name": attribute.ComputedText(
						"System of the city, or `national` for the national environment."),
					"provider_options_json": attribute.ComputedText("What the system needs and supports, as JSON: " +
						"for example whether numbers must be sent in sequence, or how the company logs in."),
					"national_service_invoice_regimes": schema.ListAttribute{
						MarkdownDescription: "Tax regimes for which the city has adopted the national environment: " +
							"`none`, `all`, `mei`, `simplesNacional` or `regimeNormal`. Null if it is not shown.",
						ElementType: types.StringType,
						Computed:    true,
					},
				}},
			},
		},
	}
}

func (d *citiesSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config serviceCitiesDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	code, state := config.Code.ValueString(), config.State.ValueString()
	listing := session.Listing[einvoice.ServiceCity, serviceCityModel]{
		Task: "read service cities", Plural: "cities",
		Limit: config.Limit, Default: math.MaxInt64, Advice: "Set `state`",
		Entries: d.Client.ServiceCities(ctx, code, state), Model: serviceCityFromAPI,
		Matches: func(v *einvoice.ServiceCity) bool {
			inState := state == "" || attribute.StateSpelling.Same(string(v.State), state)
			return inState && (code == "" || string(v.Code) == code)
		},
	}
	var diags diag.Diagnostics
	config.Cities, diags = listing.Read(ctx)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}
