package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// What the service decides about an invoice. The data sources show it flat. The resource
// keeps the details in one object: a plan then shows one line for all of them.

// Essentials are what a person asks of an invoice first.
type Essentials struct {
	ID              types.String  `tfsdk:"id"`
	Status          types.String  `tfsdk:"status"`
	Number          types.Int64   `tfsdk:"number"`
	Series          types.String  `tfsdk:"series"`
	AccessKey       types.String  `tfsdk:"access_key"`
	Amount          types.Float64 `tfsdk:"amount"`
	EnvironmentType types.String  `tfsdk:"environment_type"`
}

// Details are all else that the service decides.
type Details struct {
	IssuedOn         types.String `tfsdk:"issued_on"`
	EffectiveDate    types.String `tfsdk:"effective_date"`
	IssueType        types.String `tfsdk:"issue_type"`
	BatchNumber      types.Int64  `tfsdk:"batch_number"`
	RPS              types.Object `tfsdk:"rps"`
	Authorization    types.Object `tfsdk:"authorization"`
	ProcessingDetail types.Object `tfsdk:"processing_detail"`
	Cancellation     types.Object `tfsdk:"cancellation"`
	Contingency      types.Object `tfsdk:"contingency"`
}

func essentialAttributes() map[string]schema.Attribute {
	text := attribute.ComputedText
	return map[string]schema.Attribute{
		"id":     text("Identifier of the invoice at the service (a UUID)."),
		"status": text("Status: " + attribute.WordList(einvoice.InvoiceStatuses) + ", or a newer one."),
		"number": computedNumber("Number of the invoice; null until it has one."),
		"series": text("Series of the invoice."),
		"access_key": text("Access key (chave de acesso): 44 characters for NF-e and NFC-e, 50 " +
			"digits for " +
			"the national NFS-e. Null until the invoice is authorized."),
		"amount": schema.Float64Attribute{MarkdownDescription: "Total, in reais.", Computed: true},
		"environment_type": text("`production`, `development` (the test environment, " +
			"homologação) or " +
			"`simulation`: only `production` has fiscal value."),
	}
}

func detailAttributes() map[string]schema.Attribute {
	text, object := attribute.ComputedText, attribute.ComputedObject
	type attributes = map[string]schema.Attribute
	return attributes{
		"issued_on":      text("When it was issued."),
		"effective_date": text("The date that counts as the date of emission."),
		"issue_type":     text("How it was issued: `normal`, or a form of contingency such as `svcan` or `offLine`."),
		"batch_number":   computedNumber("Number of the batch, for service invoices."),
		"rps": object("Provisional receipt (recibo provisório de serviços, RPS), for service invoices.", attributes{
			"number": computedNumber("Number of the RPS."), "series": text("Series of the RPS."),
		}),
		"authorization": object("Receipt of the authorization.", attributes{
			"date":         text("When it was authorized."),
			"protocol":     text("Protocol of the authority."),
			"digest_value": text("Digest of the signed document."),
		}),
		"processing_detail": object("Last step of processing. Its `status` says nothing about the invoice: a "+
			"rejected one "+
			"has `success`.", attributes{
			"status":  text("Whether the step ran: `success`, `processing` or `failed`."),
			"code":    text("Code of the authority, or an `SPD` code of the service."),
			"message": text("Message of the authority or of the service."),
			"on":      text("When the step ran."),
		}),
		"cancellation": object("Receipt of the cancellation (cancelamento).", attributes{
			"date":          text("When it was canceled."),
			"protocol":      text("Protocol of the authority."),
			"justification": text("Reason that was given."),
		}),
		"contingency": object("Issue in contingency (contingência).", attributes{
			"date": text("Since when."), "reason": text("Why."),
		}),
	}
}

func computedNumber(description string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

// inResource turns a computed attribute of a data source into one of a resource.
func inResource(of schema.Attribute) resource.Attribute {
	description := of.GetMarkdownDescription()
	switch of := of.(type) {
	case schema.Int64Attribute:
		return resource.Int64Attribute{MarkdownDescription: description, Computed: true}
	case schema.Float64Attribute:
		return resource.Float64Attribute{MarkdownDescription: description, Computed: true}
	case schema.SingleNestedAttribute:
		parts := map[string]resource.Attribute{}
		for name, part := range of.Attributes {
			parts[name] = inResource(part)
		}
		return resource.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: parts}
	}
	return resource.StringAttribute{MarkdownDescription: description, Computed: true}
}

var (
	detailsAttribute = attribute.ComputedObject("What else the service has decided.", detailAttributes())
	detailsTypes     = typesOf(detailsAttribute.GetType())
)

func typesOf(of attr.Type) map[string]attr.Type {
	object, _ := of.(types.ObjectType)
	return object.AttrTypes
}

// unknownEssentials are what a plan knows of an invoice that is still to be issued.
var unknownEssentials = Essentials{
	ID: types.StringUnknown(), Status: types.StringUnknown(), Number: types.Int64Unknown(),
	Series: types.StringUnknown(), AccessKey: types.StringUnknown(), Amount: types.Float64Unknown(),
	EnvironmentType: types.StringUnknown(),
}

func essentialsFromAPI(v *einvoice.Invoice) Essentials {
	return Essentials{
		ID:              attribute.TextOrNull(v.ID),
		Status:          attribute.TextOrNull(v.Status),
		Number:          attribute.IntOrNull(v.Number),
		Series:          attribute.TextOrNull(v.Series),
		AccessKey:       attribute.TextOrNull(v.AccessKey),
		Amount:          attribute.NumberOrNull(v.Amount),
		EnvironmentType: attribute.TextOrNull(v.EnvironmentType),
	}
}

func detailsFromAPI(v *einvoice.Invoice) Details {
	type texts = map[string]einvoice.Text
	d := Details{
		IssuedOn:         attribute.TextOrNull(v.IssuedOn),
		EffectiveDate:    attribute.TextOrNull(v.EffectiveDate),
		IssueType:        attribute.TextOrNull(v.IssueType),
		BatchNumber:      attribute.IntOrNull(v.BatchNumber),
		RPS:              types.ObjectNull(typesOf(detailsTypes["rps"])),
		Authorization:    detail("authorization", nil),
		ProcessingDetail: detail("processing_detail", nil),
		Cancellation:     detail("cancellation", nil),
		Contingency:      detail("contingency", nil),
	}
	if r := v.RPS; r != nil {
		d.RPS = types.ObjectValueMust(typesOf(detailsTypes["rps"]), map[string]attr.Value{
			"number": attribute.IntOrNull(r.Number), "series": attribute.TextOrNull(r.Series),
		})
	}
	if a := v.Authorization; a != nil {
		d.Authorization = detail("authorization", texts{
			"date": a.Date, "protocol": a.Protocol, "digest_value": a.DigestValue,
		})
	}
	if p := v.ProcessingDetail; p != nil {
		d.ProcessingDetail = detail("processing_detail", texts{
			"status": einvoice.Text(p.Status), "code": p.Code, "message": p.Message, "on": p.On,
		})
	}
	if c := v.Cancellation; c != nil {
		d.Cancellation = detail("cancellation", texts{
			"date": c.Date, "protocol": c.Protocol, "justification": c.Justification,
		})
	}
	if c := v.Contingency; c != nil {
		d.Contingency = detail("contingency", texts{"date": c.Date, "reason": c.Reason})
	}
	return d
}

// detail is a detail that has parts, all of them texts. It is null where values is nil.
func detail(name string, values map[string]einvoice.Text) types.Object {
	of := typesOf(detailsTypes[name])
	if values == nil {
		return types.ObjectNull(of)
	}
	parts := map[string]attr.Value{}
	for name, value := range values {
		parts[name] = attribute.TextOrNull(value)
	}
	return types.ObjectValueMust(of, parts)
}

// object is the details as one value.
func (d Details) object() types.Object {
	return types.ObjectValueMust(detailsTypes, map[string]attr.Value{
		"issued_on": d.IssuedOn, "effective_date": d.EffectiveDate, "issue_type": d.IssueType,
		"batch_number": d.BatchNumber, "rps": d.RPS, "authorization": d.Authorization,
		"processing_detail": d.ProcessingDetail, "cancellation": d.Cancellation, "contingency": d.Contingency,
	})
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
