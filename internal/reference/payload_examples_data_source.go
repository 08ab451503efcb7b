package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*examplesSource)(nil)

// NewPayloadExamplesDataSource is einvoice_payload_examples.
func NewPayloadExamplesDataSource() datasource.DataSource { return &examplesSource{} }

// examplesSource reads sample issuing bodies of a city. Only the provider and the date of an example
// are specified.
type examplesSource struct {
	session.DataSourceBase
}

type payloadExamplesModel struct {
	CityCode types.String          `tfsdk:"city_code"`
	Examples []payloadExampleModel `tfsdk:"examples"`
}

type payloadExampleModel struct {
	Provider       types.String `tfsdk:"provider"`
	SourceIssuedOn types.String `tfsdk:"source_issued_on"`
	BodyJSON       types.String `tfsdk:"body_json"`
}

func payloadExampleFromAPI(e einvoice.PayloadExample) payloadExampleModel {
	return payloadExampleModel{
		Provider:       attribute.TextOrNull(e.Provider),
		SourceIssuedOn: attribute.TextOrNull(e.SourceIssuedOn),
		BodyJSON:       compactJSON(e.Body),
	}
}

// compactJSON removes the white space between the values, so that a text does not change with the
// service's formatting.
func compactJSON(text json.RawMessage) types.String {
	var b bytes.Buffer
	_ = json.Compact(&b, text) // It is part of an answer that was JSON.
	return attribute.TextOrNull(b.String())
}

func (d *examplesSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_payload_examples"
}

func (d *examplesSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sample payloads for the NFS-e of a city, with the codes that the city accepts. You " +
			"may send other fields too. A city that uses the national environment for some regimes has two samples.",
		Attributes: map[string]schema.Attribute{
			"city_code": schema.StringAttribute{
				MarkdownDescription: "IBGE municipal code, 7 digits.",
				Required:            true,
				Validators:          cityCode,
			},
			"examples": schema.ListNestedAttribute{
				MarkdownDescription: "The samples. It may be empty: not every city has a sample.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"provider": attribute.ComputedText(
						"System of the city, or `national` for the national environment."),
					"source_issued_on": attribute.ComputedText("Date of the invoice that the sample comes from."),
					"body_json": attribute.ComputedText("The payload, as JSON. Decode it with `jsondecode`, and take " +
						"what you need for the `payload_json` of an `einvoice_invoice_issuance`. Send `rpsNumber`, " +
						"`rpsSeries` and `batchNumber` only if you control the numbering."),
				}},
			},
		},
	}
}

func (d *examplesSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config payloadExamplesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	code := config.CityCode.ValueString()
	examples, err := d.Client.PayloadExamples(ctx, code)
	if errors.Is(err, einvoice.ErrNotFound) {
		resp.Diagnostics.AddAttributeError(path.Root("city_code"), "City not found", fmt.Sprintf(
			"The service knows no payload examples for the city %s: it does not serve that city, or the code is "+
				"not a city's. Check `city_code`, the municipal code of the IBGE.", code))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "read payload examples", err, nil)...)
		return
	}
	config.Examples = make([]payloadExampleModel, 0, len(examples))
	for _, example := range examples {
		config.Examples = append(config.Examples, payloadExampleFromAPI(example))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
