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

var _ datasource.DataSourceWithConfigure = (*serviceCitiesDataSource)(nil)

// NewServiceCitiesDataSource is einvoice_service_cities.
func NewServiceCitiesDataSource() datasource.DataSource { return &serviceCitiesDataSource{} }

// serviceCitiesDataSource reads the cities that service invoices can be issued
// in. The specification mentions the query for the national regimes; the rest of
// it is assumed, and both filters are applied again here.
type serviceCitiesDataSource struct {
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
		m.ProviderOptionsJSON = attribute.TextOrNull(einvoice.Text(compactJSON(p.Options)))
	}
	if v.NationalRegimes != nil {
		m.NationalServiceInvoiceRegimes = []types.String{}
		for _, regime := range v.NationalRegimes {
			m.NationalServiceInvoiceRegimes = append(m.NationalServiceInvoiceRegimes, attribute.TextOrNull(regime))
		}
	}
	return m
}

func (d *serviceCitiesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_service_cities"
}

func (d *serviceCitiesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The cities that service invoices can be issued in, with the system each of them has. What a city needs decides what to send: " +
			"`einvoice_payload_examples` has samples by city. Without filters this is a list of more than a thousand cities.",
		Attributes: map[string]schema.Attribute{
			"code": schema.StringAttribute{
				MarkdownDescription: "Only the city with this IBGE municipal code, 7 digits.",
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "3550308"}, attribute.CityCodeValidator},
			},
			"state": schema.StringAttribute{
				MarkdownDescription: "Only the cities of this state: its two-letter code, in any case.",
				CustomType:          attribute.SpelledType{Spelling: attribute.StateSpelling},
				Optional:            true,
				Validators:          []validator.String{attribute.StateValidator},
			},
			"limit": schema.Int64Attribute{
				MarkdownDescription: "How many cities may match. Where more do, the data source fails. Any number by default: there are less than 6,000 cities.",
				Optional:            true,
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
			},
			"cities": schema.ListNestedAttribute{
				MarkdownDescription: "The cities, in the order of the service; empty when none match, which means that the service does not serve them.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"code":          attribute.ComputedText("IBGE municipal code, 7 digits."),
					"name":          attribute.ComputedText("Name of the city."),
					"state":         attribute.ComputedText("Two-letter code of the state, as the service writes it; compare it without case."),
					"provider_name": attribute.ComputedText("System that the city takes its invoices with; `national` is the national environment."),
					"provider_options_json": attribute.ComputedText("What the system needs and supports, as JSON: for example whether numbers must be sent in sequence, " +
						"or with what the company logs in there."),
					"national_service_invoice_regimes": schema.ListAttribute{
						MarkdownDescription: "Tax regimes for which the city has adopted the national environment: `none`, `all`, `mei`, `simplesNacional` or `regimeNormal`. " +
							"Null when the service does not tell.",
						ElementType: types.StringType,
						Computed:    true,
					},
				}},
			},
		},
	}
}

func (d *serviceCitiesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config serviceCitiesDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	code, state := config.Code.ValueString(), config.State.ValueString()
	listing := session.Listing[einvoice.ServiceCity, serviceCityModel]{
		Task: "read service cities", Plural: "cities", Limit: config.Limit, Default: math.MaxInt64, Advice: "Set `state`",
		Entries: d.Client.ServiceCities(ctx, code, state), Model: serviceCityFromAPI,
		Matches: func(v *einvoice.ServiceCity) bool {
			return (code == "" || string(v.Code) == code) && (state == "" || attribute.StateSpelling.Same(string(v.State), state))
		},
	}
	var diags diag.Diagnostics
	config.Cities, diags = listing.Read(ctx)
	if resp.Diagnostics.Append(diags...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}
