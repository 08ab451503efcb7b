package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The read shape of an issued invoice, the same for all models. What a model
// does not have is null.

// invoiceStatuses are the service's words (specification: Invoice status).
var invoiceStatuses = []string{
	statusCreated, statusEnqueued, statusReceived, statusAuthorized, statusInContingent,
	statusRejected, statusCanceled, statusDenied, statusRemoved, statusDisabled,
}

type invoiceModel struct {
	ID                types.String         `tfsdk:"id"`
	IntegrationID     types.String         `tfsdk:"integration_id"`
	Status            types.String         `tfsdk:"status"`
	Model             types.String         `tfsdk:"model"`
	EnvironmentType   types.String         `tfsdk:"environment_type"`
	IssuedOn          types.String         `tfsdk:"issued_on"`
	EffectiveDate     types.String         `tfsdk:"effective_date"`
	Amount            types.Float64        `tfsdk:"amount"`
	Number            types.Int64          `tfsdk:"number"`
	Series            types.String         `tfsdk:"series"`
	AccessKey         types.String         `tfsdk:"access_key"`
	IsFromAPI         types.Bool           `tfsdk:"is_from_api"`
	OperationType     types.String         `tfsdk:"operation_type"`
	PrintingType      types.String         `tfsdk:"printing_type"`
	IssueType         types.String         `tfsdk:"issue_type"`
	PurposeType       types.String         `tfsdk:"purpose_type"`
	DebitType         types.String         `tfsdk:"debit_type"`
	CreditType        types.String         `tfsdk:"credit_type"`
	GovOperationType  types.String         `tfsdk:"gov_operation_type"`
	GovPurchase       *govPurchaseModel    `tfsdk:"gov_purchase"`
	AuthorizedPersons []types.String       `tfsdk:"authorized_persons"`
	BatchNumber       types.Int64          `tfsdk:"batch_number"`
	RPS               types.Object         `tfsdk:"rps"`
	Order             *invoiceOrderModel   `tfsdk:"order"`
	Company           *invoiceCompanyModel `tfsdk:"company"`
	Authorization     types.Object         `tfsdk:"authorization"`
	Cancellation      types.Object         `tfsdk:"cancellation"`
	ProcessingDetail  types.Object         `tfsdk:"processing_detail"`
	Contingency       types.Object         `tfsdk:"contingency"`
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

type receiverModel struct {
	Name               types.String       `tfsdk:"name"`
	FederalTaxNumber   types.String       `tfsdk:"federal_tax_number"`
	StateTaxNumber     types.String       `tfsdk:"state_tax_number"`
	SuframaTaxNumber   types.String       `tfsdk:"suframa_tax_number"`
	CityTaxNumber      types.String       `tfsdk:"city_tax_number"`
	MunicipalTaxNumber types.String       `tfsdk:"municipal_tax_number"`
	Email              types.String       `tfsdk:"email"`
	PhoneNumber        types.String       `tfsdk:"phone_number"`
	Address            *partyAddressModel `tfsdk:"address"`
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
		ID:               textOrNull(v.ID),
		IntegrationID:    textOrNull(v.IntegrationID),
		Status:           textOrNull(v.Status),
		Model:            textOrNull(v.Model),
		EnvironmentType:  textOrNull(v.EnvironmentType),
		IssuedOn:         textOrNull(v.IssuedOn),
		EffectiveDate:    textOrNull(v.EffectiveDate),
		Amount:           numberOrNull(v.Amount),
		Number:           intOrNull(v.Number),
		Series:           textOrNull(v.Series),
		AccessKey:        textOrNull(v.AccessKey),
		IsFromAPI:        flagOrNull(v.IsFromAPI),
		OperationType:    textOrNull(v.OperationType),
		PrintingType:     textOrNull(v.PrintingType),
		IssueType:        textOrNull(v.IssueType),
		PurposeType:      textOrNull(v.PurposeType),
		DebitType:        textOrNull(v.DebitType),
		CreditType:       textOrNull(v.CreditType),
		GovOperationType: textOrNull(v.GovOperationType),
		BatchNumber:      intOrNull(v.BatchNumber),
		RPS:              rpsFromAPI(v.RPS),
		Authorization:    authorizationFromAPI(v.Authorization),
		Cancellation:     cancellationFromAPI(v.Cancellation),
		ProcessingDetail: processingDetailFromAPI(v.ProcessingDetail),
		Contingency:      contingencyFromAPI(v.Contingency),
		Receiver:         receiverFromAPI(v.Receiver),
		Pickup:           partyFromAPI(v.Pickup),
		Delivery:         partyFromAPI(v.Delivery),
		RawJSON:          textOrNull(einvoice.Text(v.Raw)),
	}
	if m.Model.IsNull() {
		m.Model = types.StringValue(asked)
	}
	if v.AuthorizedPersons != nil {
		m.AuthorizedPersons = []types.String{}
		for _, person := range v.AuthorizedPersons {
			m.AuthorizedPersons = append(m.AuthorizedPersons, textOrNull(person))
		}
	}
	if g := v.GovPurchase; g != nil {
		m.GovPurchase = &govPurchaseModel{Type: textOrNull(g.Type), Rate: numberOrNull(g.Rate)}
	}
	if o := v.Order; o != nil {
		m.Order = &invoiceOrderModel{ID: textOrNull(o.ID), Date: textOrNull(o.Date), TransactionID: textOrNull(o.TransactionID)}
	}
	if c := v.Company; c != nil {
		m.Company = &invoiceCompanyModel{
			Name: textOrNull(c.Name), LegalName: textOrNull(c.LegalName), FederalTaxNumber: textOrNull(c.FederalTaxNumber),
			StateTaxNumber: textOrNull(c.StateTaxNumber), CityTaxNumber: textOrNull(c.CityTaxNumber),
		}
	}
	return m
}

func receiverFromAPI(p *einvoice.Party) *receiverModel {
	if p == nil {
		return nil
	}
	return &receiverModel{
		Name:               textOrNull(p.Name),
		FederalTaxNumber:   textOrNull(p.FederalTaxNumber),
		StateTaxNumber:     textOrNull(p.StateTaxNumber),
		SuframaTaxNumber:   textOrNull(p.SuframaTaxNumber),
		CityTaxNumber:      textOrNull(p.CityTaxNumber),
		MunicipalTaxNumber: textOrNull(p.MunicipalTaxNumber),
		Email:              textOrNull(p.Email),
		PhoneNumber:        textOrNull(p.PhoneNumber),
		Address:            partyAddressFromAPI(p.Address),
	}
}

func partyFromAPI(p *einvoice.Party) *partyModel {
	if p == nil {
		return nil
	}
	return &partyModel{
		Name:             textOrNull(p.Name),
		FederalTaxNumber: textOrNull(p.FederalTaxNumber),
		StateTaxNumber:   textOrNull(p.StateTaxNumber),
		CityTaxNumber:    textOrNull(p.CityTaxNumber),
		Email:            textOrNull(p.Email),
		PhoneNumber:      textOrNull(p.PhoneNumber),
		Address:          partyAddressFromAPI(p.Address),
	}
}

func partyAddressFromAPI(a *einvoice.PartyAddress) *partyAddressModel {
	if a == nil {
		return nil
	}
	m := &partyAddressModel{
		Street:                textOrNull(a.Street),
		District:              textOrNull(a.District),
		PostalCode:            textOrNull(a.PostalCode),
		Number:                textOrNull(a.Number),
		AdditionalInformation: textOrNull(a.AdditionalInformation),
		Country:               textOrNull(a.Country),
	}
	if c := a.City; c != nil {
		m.City = &partyCityModel{Code: textOrNull(c.Code), Name: textOrNull(c.Name), State: textOrNull(c.State)}
	}
	return m
}

// invoiceAttributes describes the read shape.
func invoiceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                 computedText("Identifier of the invoice at the service (a UUID)."),
		"integration_id":     computedText("Identity of the invoice in the books of whoever issued it."),
		"status":             computedText("Status: " + wordList(invoiceStatuses) + ", or a newer one."),
		"model":              computedText("Kind of invoice: " + wordList(invoiceModels) + "."),
		"environment_type":   computedText("Environment it was issued in: `production`, `development` or `simulation`."),
		"issued_on":          computedText("Emission date."),
		"effective_date":     computedText("Date that is used as the emission date."),
		"amount":             schema.Float64Attribute{MarkdownDescription: "Total, in reais.", Computed: true},
		"number":             schema.Int64Attribute{MarkdownDescription: "Number of the invoice; null until it has one.", Computed: true},
		"series":             computedText("Series."),
		"access_key":         computedText("Access key at the authority; null until it is authorized."),
		"is_from_api":        schema.BoolAttribute{MarkdownDescription: "Whether it was issued through the API.", Computed: true},
		"operation_type":     computedText("Direction: `incoming` or `outgoing`."),
		"printing_type":      computedText("Form of the printed document, such as `portrait`."),
		"issue_type":         computedText("Way of issuing, such as `normal`, `svcan` or `offLine`."),
		"purpose_type":       computedText("Purpose, such as `normal`, `complement` or `devolution`."),
		"debit_type":         computedText("Kind of debit, for an invoice with the purpose `debit`."),
		"credit_type":        computedText("Kind of credit, for an invoice with the purpose `credit`."),
		"gov_operation_type": computedText("Kind of sale to the government: `supply` or `receipt`."),
		"gov_purchase": computedObject("Sale to the government.", map[string]schema.Attribute{
			"type": computedText("Kind of public body."),
			"rate": schema.Float64Attribute{MarkdownDescription: "Reduction rate.", Computed: true},
		}),
		"authorized_persons": schema.ListAttribute{
			MarkdownDescription: "Tax numbers that may read the XML at the authority.", ElementType: types.StringType, Computed: true,
		},
		"batch_number": schema.Int64Attribute{MarkdownDescription: "Number of the batch, for service invoices.", Computed: true},
		"rps": computedObject("Provisional receipt (RPS), for service invoices.", map[string]schema.Attribute{
			"number": schema.Int64Attribute{MarkdownDescription: "Number of the RPS.", Computed: true},
			"series": computedText("Series of the RPS."),
		}),
		"order": computedObject("Order that it was issued from.", map[string]schema.Attribute{
			"id":             computedText("Identifier of the order at the service."),
			"date":           computedText("Date of the order."),
			"transaction_id": computedText("Identity of the order in the books of whoever made it."),
		}),
		"company": computedObject("Company that issues it.", map[string]schema.Attribute{
			"name":               computedText("Name or trade name."),
			"legal_name":         computedText("Legal name."),
			"federal_tax_number": computedText("CNPJ or CPF, without punctuation."),
			"state_tax_number":   computedText("State tax registration."),
			"city_tax_number":    computedText("Municipal registration."),
		}),
		"authorization": computedObject("Receipt of the authorization.", map[string]schema.Attribute{
			"date":         computedText("Date of the authorization."),
			"protocol":     computedText("Protocol of the authority."),
			"digest_value": computedText("Digest of the signed document."),
		}),
		"cancellation": computedObject("Receipt of the cancellation.", map[string]schema.Attribute{
			"date":          computedText("Date of the cancellation."),
			"protocol":      computedText("Protocol of the authority."),
			"justification": computedText("Reason that was given."),
		}),
		"processing_detail": computedObject("Last step of processing. Its `status` is no verdict: a rejected invoice has `success`.", map[string]schema.Attribute{
			"status":  computedText("Whether the step ran: `success`, `processing` or `failed`."),
			"code":    computedText("Code of the authority, or an `SPD` code of the service."),
			"message": computedText("Message of the authority or of the service."),
			"on":      computedText("When the step ran."),
		}),
		"contingency": computedObject("Issue in contingency.", map[string]schema.Attribute{
			"date":   computedText("Since when."),
			"reason": computedText("Why."),
		}),
		"receiver": computedObject("Recipient.", partyAttributes(map[string]schema.Attribute{
			"suframa_tax_number":   computedText("SUFRAMA registration."),
			"municipal_tax_number": computedText("Municipal registration, as service invoices show it."),
		})),
		"pickup":   computedObject("Where the goods are picked up.", partyAttributes(nil)),
		"delivery": computedObject("Where the goods are delivered.", partyAttributes(nil)),
		"raw_json": computedText("The whole invoice as the service sent it, as JSON: for fields that have no attribute here."),
	}
}

func partyAttributes(more map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"name":               computedText("Name."),
		"federal_tax_number": computedText("CPF, CNPJ or foreign document, without punctuation."),
		"state_tax_number":   computedText("State tax registration."),
		"city_tax_number":    computedText("Municipal registration."),
		"email":              computedText("E-mail address."),
		"phone_number":       computedText("Telephone."),
		"address": computedObject("Address.", map[string]schema.Attribute{
			"street":                 computedText("Street."),
			"district":               computedText("District."),
			"postal_code":            computedText("Postal code (CEP)."),
			"number":                 computedText("Number in the street."),
			"additional_information": computedText("Floor, room and the like."),
			"city": computedObject("City.", map[string]schema.Attribute{
				"code":  computedText("IBGE municipal code, 7 digits."),
				"name":  computedText("Name of the city."),
				"state": computedText("Two-letter code of the state."),
			}),
			"country": computedText("Country."),
		}),
	}
	for name, attribute := range more {
		attributes[name] = attribute
	}
	return attributes
}

func computedText(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func computedObject(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}
