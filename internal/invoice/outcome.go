package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// essentials are what a plan shows in a line each, and what the resource works with.
type essentials struct {
	ID              types.String  `tfsdk:"id"`
	Status          types.String  `tfsdk:"status"`
	Number          types.Int64   `tfsdk:"number"`
	Series          types.String  `tfsdk:"series"`
	AccessKey       types.String  `tfsdk:"access_key"`
	Amount          types.Float64 `tfsdk:"amount"`
	EnvironmentType types.String  `tfsdk:"environment_type"`
}

// unknownEssentials are what a plan knows of an invoice that is still to be issued.
var unknownEssentials = essentials{
	ID: types.StringUnknown(), Status: types.StringUnknown(), Number: types.Int64Unknown(),
	Series: types.StringUnknown(), AccessKey: types.StringUnknown(), Amount: types.Float64Unknown(),
	EnvironmentType: types.StringUnknown(),
}

func essentialsFromAPI(v *einvoice.Invoice) essentials {
	return essentials{
		ID:              attribute.TextOrNull(v.ID),
		Status:          attribute.TextOrNull(v.Status),
		Number:          attribute.IntOrNull(v.Number),
		Series:          attribute.TextOrNull(v.Series),
		AccessKey:       attribute.TextOrNull(v.AccessKey),
		Amount:          attribute.NumberOrNull(v.Amount),
		EnvironmentType: attribute.TextOrNull(v.EnvironmentType),
	}
}

// invoice is the invoice as far as the state or the plan shows what the service decided.
func (m *issuanceModel) invoice() *einvoice.Invoice {
	details := m.Details.Attributes()
	batch, _ := details["batch_number"].(types.Int64)
	rps, _ := m.detail("rps", "number").(types.Int64)
	text := func(name, part string) einvoice.Text { return attribute.AttrText(m.detail(name, part)) }
	return &einvoice.Invoice{
		ID:              attribute.KnownText(m.ID),
		Status:          einvoice.Enum(attribute.KnownText(m.Status)),
		Number:          attribute.KnownInt(m.Number),
		Series:          attribute.KnownText(m.Series),
		AccessKey:       attribute.KnownText(m.AccessKey),
		Amount:          attribute.KnownNumber(m.Amount),
		EnvironmentType: einvoice.Enum(attribute.KnownText(m.EnvironmentType)),
		IssuedOn:        attribute.AttrText(details["issued_on"]),
		EffectiveDate:   attribute.AttrText(details["effective_date"]),
		IssueType:       einvoice.Enum(attribute.AttrText(details["issue_type"])),
		BatchNumber:     attribute.KnownInt(batch),
		RPS:             &einvoice.RPS{Number: attribute.KnownInt(rps), Series: text("rps", "series")},
		Authorization: &einvoice.Authorization{
			Date: text("authorization", "date"), Protocol: text("authorization", "protocol"),
			DigestValue: text("authorization", "digest_value"),
		},
		ProcessingDetail: &einvoice.ProcessingDetail{
			Status: einvoice.Enum(text("processing_detail", "status")), Code: text("processing_detail", "code"),
			Message: text("processing_detail", "message"), On: text("processing_detail", "on"),
		},
		Cancellation: &einvoice.Cancellation{
			Date: text("cancellation", "date"), Protocol: text("cancellation", "protocol"),
			Justification: text("cancellation", "justification"),
		},
		Contingency: &einvoice.Contingency{Date: text("contingency", "date"), Reason: text("contingency", "reason")},
	}
}

// detail is a part of a detail; nil while the details are not known.
func (m *issuanceModel) detail(name, part string) attr.Value {
	object, _ := m.Details.Attributes()[name].(types.Object)
	return object.Attributes()[part]
}
