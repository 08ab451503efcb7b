package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

type payloadExamplesModel struct {
	CityCode types.String   `tfsdk:"city_code"`
	Examples []types.Object `tfsdk:"examples"`
}

func exampleFields(e *einvoice.PayloadExample) shown.Fields {
	return shown.Fields{
		"provider": shown.Text("System of the city, or `national` for the national environment.", e.Provider),
		"source_issued_on": shown.Text("Date of the invoice that the sample comes from.",
			e.SourceIssuedOn),
		"body_json": shown.Text("The issuing body, as JSON. For the `payload_json` of an "+
			"`einvoice_invoice_issuance` take what you need from `jsondecode` of it. "+
			"Send `rpsNumber`, `rpsSeries` and `batchNumber` only if you control the numbering.", compactJSON(e.Body)),
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
			"examples": schema.ListNestedAttribute{
				MarkdownDescription: "The samples. An empty list is normal: no sample is published.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: shown.Attributes(exampleFields)},
			},
		},
	}
}

func readExamples(ctx context.Context, reading *session.Session, m *payloadExamplesModel) diag.Diagnostics {
	code := m.CityCode.ValueString()
	examples, err := reading.Client.PayloadExamples(ctx, code)
	if errors.Is(err, einvoice.ErrNotFound) {
		return message.ErrorAt("city_code", "City not found", fmt.Sprintf(
			"The service knows no payload examples for the city %s: it does not serve that city, or the code is "+
				"not a city's. Check `city_code`, the municipal code of the IBGE.", code))
	}
	if err != nil {
		return message.APIError(ctx, "read payload examples", err, nil)
	}
	m.Examples = []types.Object{}
	for _, example := range examples {
		m.Examples = append(m.Examples, shown.Value(&example, exampleFields))
	}
	return nil
}
