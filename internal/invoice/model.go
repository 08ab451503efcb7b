// Package invoice is all that a configuration says of invoices: the resource
// einvoice_invoice_issuance, which issues a payload exactly once by package
// engine, the data sources that read issued invoices, and the actions that cancel
// one and ask the authority about one. It words what the engine ends with.
package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The read shape of an issued invoice, the same for all models. What a model
// does not have is null.

// Outcome is what the service decides about an invoice. The data sources show it flat,
// and the resource keeps the details together.
type Outcome struct {
	Essentials
	Details
}

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

// The parts of an outcome.
var (
	rpsTypes              = map[string]attr.Type{"number": types.Int64Type, "series": types.StringType}
	authorizationTypes    = map[string]attr.Type{"date": types.StringType, "protocol": types.StringType, "digest_value": types.StringType}
	processingDetailTypes = map[string]attr.Type{
		"status": types.StringType, "code": types.StringType, "message": types.StringType, "on": types.StringType,
	}
	cancellationTypes = map[string]attr.Type{"date": types.StringType, "protocol": types.StringType, "justification": types.StringType}
	contingencyTypes  = map[string]attr.Type{"date": types.StringType, "reason": types.StringType}

	detailsTypes = map[string]attr.Type{
		"issued_on": types.StringType, "effective_date": types.StringType, "issue_type": types.StringType, "batch_number": types.Int64Type,
		"rps": types.ObjectType{AttrTypes: rpsTypes}, "authorization": types.ObjectType{AttrTypes: authorizationTypes},
		"processing_detail": types.ObjectType{AttrTypes: processingDetailTypes}, "cancellation": types.ObjectType{AttrTypes: cancellationTypes},
		"contingency": types.ObjectType{AttrTypes: contingencyTypes},
	}
)

// UnknownEssentials are what a plan knows of an invoice that is still to be issued.
var UnknownEssentials = Essentials{
	ID: types.StringUnknown(), Status: types.StringUnknown(), Number: types.Int64Unknown(), Series: types.StringUnknown(),
	AccessKey: types.StringUnknown(), Amount: types.Float64Unknown(), EnvironmentType: types.StringUnknown(),
}

// OutcomeFromAPI reads what the service has decided.
func OutcomeFromAPI(v *einvoice.Invoice) Outcome {
	o := Outcome{
		Essentials: Essentials{
			ID:              attribute.TextOrNull(v.ID),
			Status:          attribute.TextOrNull(v.Status),
			Number:          attribute.IntOrNull(v.Number),
			Series:          attribute.TextOrNull(v.Series),
			AccessKey:       attribute.TextOrNull(v.AccessKey),
			Amount:          attribute.NumberOrNull(v.Amount),
			EnvironmentType: attribute.TextOrNull(v.EnvironmentType),
		},
		Details: Details{
			IssuedOn:         attribute.TextOrNull(v.IssuedOn),
			EffectiveDate:    attribute.TextOrNull(v.EffectiveDate),
			IssueType:        attribute.TextOrNull(v.IssueType),
			BatchNumber:      attribute.IntOrNull(v.BatchNumber),
			RPS:              types.ObjectNull(rpsTypes),
			Authorization:    types.ObjectNull(authorizationTypes),
			ProcessingDetail: types.ObjectNull(processingDetailTypes),
			Cancellation:     types.ObjectNull(cancellationTypes),
			Contingency:      types.ObjectNull(contingencyTypes),
		},
	}
	if r := v.RPS; r != nil {
		o.RPS = types.ObjectValueMust(rpsTypes, map[string]attr.Value{"number": attribute.IntOrNull(r.Number), "series": attribute.TextOrNull(r.Series)})
	}
	if a := v.Authorization; a != nil {
		o.Authorization = texts(authorizationTypes, map[string]einvoice.Text{"date": a.Date, "protocol": a.Protocol, "digest_value": a.DigestValue})
	}
	if p := v.ProcessingDetail; p != nil {
		o.ProcessingDetail = texts(processingDetailTypes, map[string]einvoice.Text{"status": einvoice.Text(p.Status), "code": p.Code, "message": p.Message, "on": p.On})
	}
	if c := v.Cancellation; c != nil {
		o.Cancellation = texts(cancellationTypes, map[string]einvoice.Text{"date": c.Date, "protocol": c.Protocol, "justification": c.Justification})
	}
	if c := v.Contingency; c != nil {
		o.Contingency = texts(contingencyTypes, map[string]einvoice.Text{"date": c.Date, "reason": c.Reason})
	}
	return o
}

// object is the details as one value.
func (d Details) object() types.Object {
	return types.ObjectValueMust(detailsTypes, map[string]attr.Value{
		"issued_on": d.IssuedOn, "effective_date": d.EffectiveDate, "issue_type": d.IssueType, "batch_number": d.BatchNumber,
		"rps": d.RPS, "authorization": d.Authorization, "processing_detail": d.ProcessingDetail,
		"cancellation": d.Cancellation, "contingency": d.Contingency,
	})
}

// detailsIn are the details in a value; they are null where it is, or where it is unknown.
func detailsIn(o types.Object) Details {
	of := o.Attributes()
	text := func(name string) types.String { v, _ := of[name].(types.String); return v }
	part := func(name string, with map[string]attr.Type) types.Object {
		if v, ok := of[name].(types.Object); ok {
			return v
		}
		return types.ObjectNull(with)
	}
	batch, _ := of["batch_number"].(types.Int64)
	return Details{
		IssuedOn: text("issued_on"), EffectiveDate: text("effective_date"), IssueType: text("issue_type"), BatchNumber: batch,
		RPS: part("rps", rpsTypes), Authorization: part("authorization", authorizationTypes),
		ProcessingDetail: part("processing_detail", processingDetailTypes),
		Cancellation:     part("cancellation", cancellationTypes), Contingency: part("contingency", contingencyTypes),
	}
}

// Invoice is the invoice as far as an outcome tells.
func (o Outcome) Invoice() *einvoice.Invoice {
	v := &einvoice.Invoice{
		ID:              attribute.KnownText(o.ID),
		Status:          einvoice.Enum(attribute.KnownText(o.Status)),
		Number:          attribute.KnownInt(o.Number),
		Series:          attribute.KnownText(o.Series),
		AccessKey:       attribute.KnownText(o.AccessKey),
		IssuedOn:        attribute.KnownText(o.IssuedOn),
		EffectiveDate:   attribute.KnownText(o.EffectiveDate),
		Amount:          attribute.KnownNumber(o.Amount),
		EnvironmentType: einvoice.Enum(attribute.KnownText(o.EnvironmentType)),
		IssueType:       einvoice.Enum(attribute.KnownText(o.IssueType)),
		BatchNumber:     attribute.KnownInt(o.BatchNumber),
	}
	if of := o.RPS.Attributes(); !attribute.IsUnset(o.RPS) {
		number, _ := of["number"].(types.Int64)
		v.RPS = &einvoice.RPS{Number: attribute.KnownInt(number), Series: attribute.AttrText(of["series"])}
	}
	if of := o.Authorization.Attributes(); !attribute.IsUnset(o.Authorization) {
		v.Authorization = &einvoice.Authorization{Date: attribute.AttrText(of["date"]), Protocol: attribute.AttrText(of["protocol"]), DigestValue: attribute.AttrText(of["digest_value"])}
	}
	if of := o.ProcessingDetail.Attributes(); !attribute.IsUnset(o.ProcessingDetail) {
		v.ProcessingDetail = &einvoice.ProcessingDetail{
			Status: einvoice.Enum(attribute.AttrText(of["status"])), Code: attribute.AttrText(of["code"]), Message: attribute.AttrText(of["message"]), On: attribute.AttrText(of["on"]),
		}
	}
	if of := o.Cancellation.Attributes(); !attribute.IsUnset(o.Cancellation) {
		v.Cancellation = &einvoice.Cancellation{Date: attribute.AttrText(of["date"]), Protocol: attribute.AttrText(of["protocol"]), Justification: attribute.AttrText(of["justification"])}
	}
	if of := o.Contingency.Attributes(); !attribute.IsUnset(o.Contingency) {
		v.Contingency = &einvoice.Contingency{Date: attribute.AttrText(of["date"]), Reason: attribute.AttrText(of["reason"])}
	}
	return v
}

// texts is an object of texts, those that are empty being null.
func texts(of map[string]attr.Type, values map[string]einvoice.Text) types.Object {
	leaves := map[string]attr.Value{}
	for name, value := range values {
		leaves[name] = attribute.TextOrNull(value)
	}
	return types.ObjectValueMust(of, leaves)
}

type invoiceModel struct {
	Outcome
	IntegrationID     types.String         `tfsdk:"integration_id"`
	Model             types.String         `tfsdk:"model"`
	IsFromAPI         types.Bool           `tfsdk:"is_from_api"`
	OperationType     types.String         `tfsdk:"operation_type"`
	PrintingType      types.String         `tfsdk:"printing_type"`
	PurposeType       types.String         `tfsdk:"purpose_type"`
	DebitType         types.String         `tfsdk:"debit_type"`
	CreditType        types.String         `tfsdk:"credit_type"`
	GovOperationType  types.String         `tfsdk:"gov_operation_type"`
	GovPurchase       *govPurchaseModel    `tfsdk:"gov_purchase"`
	AuthorizedPersons []types.String       `tfsdk:"authorized_persons"`
	Order             *invoiceOrderModel   `tfsdk:"order"`
	Company           *invoiceCompanyModel `tfsdk:"company"`
	Receiver          *receiverModel       `tfsdk:"receiver"`
	Pickup            *partyModel          `tfsdk:"pickup"`
	Delivery          *partyModel          `tfsdk:"delivery"`
	RawJSON           types.String         `tfsdk:"raw_json"`
}

type govPurchaseModel struct {
	Type types.String  `tfsdk:"type"`
	Rate types.Float64 `tfsdk:"rate"`
}

type invoiceOrderModel struct {
	ID            types.String `tfsdk:"id"`
	Date          types.String `tfsdk:"date"`
	TransactionID types.String `tfsdk:"transaction_id"`
}

type invoiceCompanyModel struct {
	Name             types.String `tfsdk:"name"`
	LegalName        types.String `tfsdk:"legal_name"`
	FederalTaxNumber types.String `tfsdk:"federal_tax_number"`
	StateTaxNumber   types.String `tfsdk:"state_tax_number"`
	CityTaxNumber    types.String `tfsdk:"city_tax_number"`
}

// receiverModel is a party with two numbers more.
type receiverModel struct {
	partyModel
	SuframaTaxNumber   types.String `tfsdk:"suframa_tax_number"`
	MunicipalTaxNumber types.String `tfsdk:"municipal_tax_number"`
}

type partyModel struct {
	Name             types.String       `tfsdk:"name"`
	FederalTaxNumber types.String       `tfsdk:"federal_tax_number"`
	StateTaxNumber   types.String       `tfsdk:"state_tax_number"`
	CityTaxNumber    types.String       `tfsdk:"city_tax_number"`
	Email            types.String       `tfsdk:"email"`
	PhoneNumber      types.String       `tfsdk:"phone_number"`
	Address          *partyAddressModel `tfsdk:"address"`
}

type partyAddressModel struct {
	Street                types.String    `tfsdk:"street"`
	District              types.String    `tfsdk:"district"`
	PostalCode            types.String    `tfsdk:"postal_code"`
	Number                types.String    `tfsdk:"number"`
	AdditionalInformation types.String    `tfsdk:"additional_information"`
	City                  *partyCityModel `tfsdk:"city"`
	Country               types.String    `tfsdk:"country"`
}

type partyCityModel struct {
	Code  types.String `tfsdk:"code"`
	Name  types.String `tfsdk:"name"`
	State types.String `tfsdk:"state"`
}

// invoiceFromAPI reads an invoice. asked is the model it was asked for by, which
// stands in where the service does not show one.
func invoiceFromAPI(v *einvoice.Invoice, asked string) invoiceModel {
	m := invoiceModel{
		Outcome:          OutcomeFromAPI(v),
		IntegrationID:    attribute.TextOrNull(v.IntegrationID),
		Model:            attribute.TextOrNull(v.Model),
		IsFromAPI:        attribute.FlagOrNull(v.IsFromAPI),
		OperationType:    attribute.TextOrNull(v.OperationType),
		PrintingType:     attribute.TextOrNull(v.PrintingType),
		PurposeType:      attribute.TextOrNull(v.PurposeType),
		DebitType:        attribute.TextOrNull(v.DebitType),
		CreditType:       attribute.TextOrNull(v.CreditType),
		GovOperationType: attribute.TextOrNull(v.GovOperationType),
		Pickup:           partyFromAPI(v.Pickup),
		Delivery:         partyFromAPI(v.Delivery),
		RawJSON:          attribute.TextOrNull(einvoice.Text(v.Raw)),
	}
	if p := v.Receiver; p != nil {
		m.Receiver = &receiverModel{partyModel: *partyFromAPI(p), SuframaTaxNumber: attribute.TextOrNull(p.SuframaTaxNumber), MunicipalTaxNumber: attribute.TextOrNull(p.MunicipalTaxNumber)}
	}
	if m.Model.IsNull() {
		m.Model = types.StringValue(asked)
	}
	if v.AuthorizedPersons != nil {
		m.AuthorizedPersons = []types.String{}
		for _, person := range v.AuthorizedPersons {
			m.AuthorizedPersons = append(m.AuthorizedPersons, attribute.TextOrNull(person))
		}
	}
	if g := v.GovPurchase; g != nil {
		m.GovPurchase = &govPurchaseModel{Type: attribute.TextOrNull(g.Type), Rate: attribute.NumberOrNull(g.Rate)}
	}
	if o := v.Order; o != nil {
		m.Order = &invoiceOrderModel{ID: attribute.TextOrNull(o.ID), Date: attribute.TextOrNull(o.Date), TransactionID: attribute.TextOrNull(o.TransactionID)}
	}
	if c := v.Company; c != nil {
		m.Company = &invoiceCompanyModel{
			Name: attribute.TextOrNull(c.Name), LegalName: attribute.TextOrNull(c.LegalName), FederalTaxNumber: attribute.TextOrNull(c.FederalTaxNumber),
			StateTaxNumber: attribute.TextOrNull(c.StateTaxNumber), CityTaxNumber: attribute.TextOrNull(c.CityTaxNumber),
		}
	}
	return m
}

func partyFromAPI(p *einvoice.Party) *partyModel {
	if p == nil {
		return nil
	}
	return &partyModel{
		Name:             attribute.TextOrNull(p.Name),
		FederalTaxNumber: attribute.TextOrNull(p.FederalTaxNumber),
		StateTaxNumber:   attribute.TextOrNull(p.StateTaxNumber),
		CityTaxNumber:    attribute.TextOrNull(p.CityTaxNumber),
		Email:            attribute.TextOrNull(p.Email),
		PhoneNumber:      attribute.TextOrNull(p.PhoneNumber),
		Address:          partyAddressFromAPI(p.Address),
	}
}

func partyAddressFromAPI(a *einvoice.PartyAddress) *partyAddressModel {
	if a == nil {
		return nil
	}
	m := &partyAddressModel{
		Street:                attribute.TextOrNull(a.Street),
		District:              attribute.TextOrNull(a.District),
		PostalCode:            attribute.TextOrNull(a.PostalCode),
		Number:                attribute.TextOrNull(a.Number),
		AdditionalInformation: attribute.TextOrNull(a.AdditionalInformation),
		Country:               attribute.TextOrNull(a.Country),
	}
	if c := a.City; c != nil {
		m.City = &partyCityModel{Code: attribute.TextOrNull(c.Code), Name: attribute.TextOrNull(c.Name), State: attribute.TextOrNull(c.State)}
	}
	return m
}

// invoiceAttributes describes the read shape.
func invoiceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                 attribute.ComputedText("Identifier of the invoice at the service (a UUID)."),
		"integration_id":     attribute.ComputedText("The issuer's own identifier of the invoice."),
		"status":             attribute.ComputedText("Status: " + attribute.WordList(einvoice.InvoiceStatuses) + ", or a newer one."),
		"model":              attribute.ComputedText("Kind of invoice: " + attribute.WordList(einvoice.Models) + "."),
		"environment_type":   attribute.ComputedText("Environment that it was issued in: `production`, `development` (the test environment, homologação) or `simulation`."),
		"issued_on":          attribute.ComputedText("When it was issued."),
		"effective_date":     attribute.ComputedText("The date that counts as the date of emission."),
		"amount":             schema.Float64Attribute{MarkdownDescription: "Total, in reais.", Computed: true},
		"number":             schema.Int64Attribute{MarkdownDescription: "Number of the invoice; null until it has one.", Computed: true},
		"series":             attribute.ComputedText("Series."),
		"access_key":         attribute.ComputedText("Access key (chave de acesso) at the authority; null until it is authorized."),
		"is_from_api":        schema.BoolAttribute{MarkdownDescription: "Whether it was issued through the API.", Computed: true},
		"operation_type":     attribute.ComputedText("Direction: `incoming` or `outgoing`."),
		"printing_type":      attribute.ComputedText("Form of the printed document, such as `portrait`."),
		"issue_type":         attribute.ComputedText("Way of issuing, such as `normal`, `svcan` or `offLine`."),
		"purpose_type":       attribute.ComputedText("Purpose, such as `normal`, `complement` or `devolution`."),
		"debit_type":         attribute.ComputedText("Kind of debit, for an invoice with the purpose `debit`."),
		"credit_type":        attribute.ComputedText("Kind of credit, for an invoice with the purpose `credit`."),
		"gov_operation_type": attribute.ComputedText("Kind of sale to the government: `supply` or `receipt`."),
		"gov_purchase": attribute.ComputedObject("Sale to the government.", map[string]schema.Attribute{
			"type": attribute.ComputedText("Kind of public body."),
			"rate": schema.Float64Attribute{MarkdownDescription: "Reduction rate.", Computed: true},
		}),
		"authorized_persons": schema.ListAttribute{
			MarkdownDescription: "Tax numbers that may read the XML at the authority.", ElementType: types.StringType, Computed: true,
		},
		"batch_number": schema.Int64Attribute{MarkdownDescription: "Number of the batch, for service invoices.", Computed: true},
		"rps": attribute.ComputedObject("Provisional receipt (recibo provisório de serviços, RPS), for service invoices.", map[string]schema.Attribute{
			"number": schema.Int64Attribute{MarkdownDescription: "Number of the RPS.", Computed: true},
			"series": attribute.ComputedText("Series of the RPS."),
		}),
		"order": attribute.ComputedObject("Order that it was issued from.", map[string]schema.Attribute{
			"id":             attribute.ComputedText("Identifier of the order at the service."),
			"date":           attribute.ComputedText("Date of the order."),
			"transaction_id": attribute.ComputedText("The seller's own identifier of the sale."),
		}),
		"company": attribute.ComputedObject("Company that issues it.", map[string]schema.Attribute{
			"name":               attribute.ComputedText("Name or trade name (nome fantasia)."),
			"legal_name":         attribute.ComputedText("Legal name (razão social)."),
			"federal_tax_number": attribute.ComputedText("CNPJ or CPF, without punctuation."),
			"state_tax_number":   attribute.ComputedText("State registration (inscrição estadual)."),
			"city_tax_number":    attribute.ComputedText("Municipal registration (inscrição municipal)."),
		}),
		"authorization": attribute.ComputedObject("Receipt of the authorization.", map[string]schema.Attribute{
			"date":         attribute.ComputedText("Date of the authorization."),
			"protocol":     attribute.ComputedText("Protocol of the authority."),
			"digest_value": attribute.ComputedText("Digest of the signed document."),
		}),
		"cancellation": attribute.ComputedObject("Receipt of the cancellation.", map[string]schema.Attribute{
			"date":          attribute.ComputedText("Date of the cancellation."),
			"protocol":      attribute.ComputedText("Protocol of the authority."),
			"justification": attribute.ComputedText("Reason that was given."),
		}),
		"processing_detail": attribute.ComputedObject("Last step of processing. Its `status` says nothing about the invoice: a rejected one has `success`.", map[string]schema.Attribute{
			"status":  attribute.ComputedText("Whether the step ran: `success`, `processing` or `failed`."),
			"code":    attribute.ComputedText("Code of the authority, or an `SPD` code of the service."),
			"message": attribute.ComputedText("Message of the authority or of the service."),
			"on":      attribute.ComputedText("When the step ran."),
		}),
		"contingency": attribute.ComputedObject("Issue in contingency (contingência).", map[string]schema.Attribute{
			"date":   attribute.ComputedText("Since when."),
			"reason": attribute.ComputedText("Why."),
		}),
		"receiver": attribute.ComputedObject("Recipient.", partyAttributes(map[string]schema.Attribute{
			"suframa_tax_number":   attribute.ComputedText("SUFRAMA registration."),
			"municipal_tax_number": attribute.ComputedText("Municipal registration, as service invoices show it."),
		})),
		"pickup":   attribute.ComputedObject("Where the goods are picked up.", partyAttributes(nil)),
		"delivery": attribute.ComputedObject("Where the goods are delivered.", partyAttributes(nil)),
		"raw_json": attribute.ComputedText("The whole invoice as the service sent it, as JSON: for fields that have no attribute here."),
	}
}

func partyAttributes(more map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"name":               attribute.ComputedText("Name."),
		"federal_tax_number": attribute.ComputedText("CPF, CNPJ or foreign document, without punctuation."),
		"state_tax_number":   attribute.ComputedText("State registration."),
		"city_tax_number":    attribute.ComputedText("Municipal registration."),
		"email":              attribute.ComputedText("E-mail address."),
		"phone_number":       attribute.ComputedText("Telephone."),
		"address": attribute.ComputedObject("Address.", map[string]schema.Attribute{
			"street":                 attribute.ComputedText("Street."),
			"district":               attribute.ComputedText("District."),
			"postal_code":            attribute.ComputedText("Postal code (CEP)."),
			"number":                 attribute.ComputedText("Number in the street."),
			"additional_information": attribute.ComputedText("Floor, room and the like."),
			"city": attribute.ComputedObject("City.", map[string]schema.Attribute{
				"code":  attribute.ComputedText("IBGE municipal code, 7 digits."),
				"name":  attribute.ComputedText("Name of the city."),
				"state": attribute.ComputedText("Two-letter code of the state."),
			}),
			"country": attribute.ComputedText("Country."),
		}),
	}
	for name, attribute := range more {
		attributes[name] = attribute
	}
	return attributes
}
