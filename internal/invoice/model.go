// Package invoice has what a configuration says of invoices: the resource
// einvoice_invoice_issuance, the data sources of issued invoices, and the actions that
// cancel one and ask the authority about one. Package engine issues each payload exactly
// once; this package words what the engine returns.
package invoice

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The read shape of an issued invoice, the same for all models. What a model does not have
// is null.

type invoiceModel struct {
	Essentials
	Details
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

// invoiceFromAPI reads an invoice of a model, which the service need not show.
func invoiceFromAPI(v *einvoice.Invoice, model string) invoiceModel {
	m := invoiceModel{
		Essentials:       essentialsFromAPI(v),
		Details:          detailsFromAPI(v),
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
		m.Receiver = &receiverModel{
			partyModel:         *partyFromAPI(p),
			SuframaTaxNumber:   attribute.TextOrNull(p.SuframaTaxNumber),
			MunicipalTaxNumber: attribute.TextOrNull(p.MunicipalTaxNumber),
		}
	}
	if m.Model.IsNull() {
		m.Model = types.StringValue(model)
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
		m.Order = &invoiceOrderModel{
			ID:            attribute.TextOrNull(o.ID),
			Date:          attribute.TextOrNull(o.Date),
			TransactionID: attribute.TextOrNull(o.TransactionID),
		}
	}
	if c := v.Company; c != nil {
		m.Company = &invoiceCompanyModel{
			Name:             attribute.TextOrNull(c.Name),
			LegalName:        attribute.TextOrNull(c.LegalName),
			FederalTaxNumber: attribute.TextOrNull(c.FederalTaxNumber),
			StateTaxNumber:   attribute.TextOrNull(c.StateTaxNumber),
			CityTaxNumber:    attribute.TextOrNull(c.CityTaxNumber),
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
		m.City = &partyCityModel{
			Code:  attribute.TextOrNull(c.Code),
			Name:  attribute.TextOrNull(c.Name),
			State: attribute.TextOrNull(c.State),
		}
	}
	return m
}

// invoiceAttributes describes the read shape.
func invoiceAttributes() map[string]schema.Attribute {
	text, object := attribute.ComputedText, attribute.ComputedObject
	type attributes = map[string]schema.Attribute
	all := attributes{
		"integration_id": text("The issuer's own identifier of the invoice."),
		"model":          text("Kind of invoice: " + attribute.WordList(einvoice.Models) + "."),
		"is_from_api": schema.BoolAttribute{MarkdownDescription: "Whether it was issued through " +
			"the API.", Computed: true},
		"operation_type":     text("Direction: `incoming` or `outgoing`."),
		"printing_type":      text("Form of the printed document, such as `portrait`."),
		"purpose_type":       text("Purpose, such as `normal`, `complement` or `devolution`."),
		"debit_type":         text("Kind of debit, for an invoice with the purpose `debit`."),
		"credit_type":        text("Kind of credit, for an invoice with the purpose `credit`."),
		"gov_operation_type": text("Kind of sale to the government: `supply` or `receipt`."),
		"gov_purchase": object("Sale to the government.", attributes{
			"type": text("Kind of public body."),
			"rate": schema.Float64Attribute{MarkdownDescription: "Reduction rate.", Computed: true},
		}),
		"authorized_persons": schema.ListAttribute{
			MarkdownDescription: "Tax numbers that may read the XML at the " +
				"authority.", ElementType: types.StringType, Computed: true,
		},
		"order": object("Order that it was issued from.", attributes{
			"id":             text("Identifier of the order at the service."),
			"date":           text("Date of the order."),
			"transaction_id": text("The seller's own identifier of the sale."),
		}),
		"company": object("Company that issues it.", attributes{
			"name":               text("Name or trade name (nome fantasia)."),
			"legal_name":         text("Legal name (razão social)."),
			"federal_tax_number": text("CNPJ or CPF, without punctuation."),
			"state_tax_number":   text("State registration (inscrição estadual)."),
			"city_tax_number":    text("Municipal registration (inscrição municipal)."),
		}),
		"receiver": party("Recipient.", attributes{
			"suframa_tax_number":   text("SUFRAMA registration."),
			"municipal_tax_number": text("Municipal registration, as service invoices show it."),
		}),
		"pickup":   party("Where the goods are picked up.", nil),
		"delivery": party("Where the goods are delivered.", nil),
		"raw_json": text("The whole invoice as the service sent it, as JSON: for fields that have no attribute here."),
	}
	maps.Copy(all, essentialAttributes())
	maps.Copy(all, detailAttributes())
	return all
}

// party describes a party with the attributes that only some parties have.
func party(description string, more map[string]schema.Attribute) schema.SingleNestedAttribute {
	text, object := attribute.ComputedText, attribute.ComputedObject
	type attributes = map[string]schema.Attribute
	all := attributes{
		"name":               text("Name."),
		"federal_tax_number": text("CPF, CNPJ or foreign document, without punctuation."),
		"state_tax_number":   text("State registration."),
		"city_tax_number":    text("Municipal registration."),
		"email":              text("E-mail address."),
		"phone_number":       text("Telephone."),
		"address": object("Address.", attributes{
			"street":                 text("Street."),
			"district":               text("District."),
			"postal_code":            text("Postal code (CEP)."),
			"number":                 text("Number in the street."),
			"additional_information": text("Floor, room and the like."),
			"city": object("City.", attributes{
				"code":  text("IBGE municipal code, 7 digits."),
				"name":  text("Name of the city."),
				"state": text("Two-letter code of the state."),
			}),
			"country": text("Country."),
		}),
	}
	maps.Copy(all, more)
	return object(description, all)
}
