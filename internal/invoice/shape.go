package invoice

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The read shape of an issued invoice, the same for all models. What a model does not have
// is null.

// The types that the tables below name in each line.
type (
	invoice       = einvoice.Invoice
	authorization = einvoice.Authorization
	processing    = einvoice.ProcessingDetail
	cancellation  = einvoice.Cancellation
	contingency   = einvoice.Contingency
	rps           = einvoice.RPS
	order         = einvoice.InvoiceOrder
	company       = einvoice.InvoiceCompany
	party         = einvoice.Party
	place         = einvoice.PartyAddress
	city          = einvoice.City
	str           = einvoice.Text
	enum          = einvoice.Enum
)

// essentialFields are what a person asks of an invoice first.
var essentialFields = fields[invoice]{
	"id": text("Identifier of the invoice at the service (a UUID).", func(v *invoice) str { return v.ID }),
	"status": text("Status: "+attribute.WordList(einvoice.InvoiceStatuses)+", or a newer one.",
		func(v *invoice) enum { return v.Status }),
	"number": number("Number of the invoice; null until it has one.",
		func(v *invoice) *einvoice.Int { return v.Number }),
	"series": text("Series of the invoice.", func(v *invoice) str { return v.Series }),
	"access_key": text("Access key (chave de acesso): 44 characters for NF-e and NFC-e, 50 digits for the national "+
		"NFS-e. Null until the invoice is authorized.", func(v *invoice) str { return v.AccessKey }),
	"amount": decimal("Total, in reais.", func(v *invoice) *einvoice.Number { return v.Amount }),
	"environment_type": text("`production`, `development` (the test environment, homologação) or `simulation`: "+
		"only `production` has fiscal value.", func(v *invoice) enum { return v.EnvironmentType }),
}

// detailFields are all else that the service decides. The resource keeps them in one
// object: a plan then shows one line for all of them.
var detailFields = fields[invoice]{
	"issued_on": text("When it was issued.", func(v *invoice) str { return v.IssuedOn }),
	"effective_date": text("The date that counts as the date of emission.",
		func(v *invoice) str { return v.EffectiveDate }),
	"issue_type": text("How it was issued: `normal`, or a form of contingency such as `svcan` or `offLine`.",
		func(v *invoice) enum { return v.IssueType }),
	"batch_number": number("Number of the batch, for service invoices.",
		func(v *invoice) *einvoice.Int { return v.BatchNumber }),
	"rps": object("Provisional receipt (recibo provisório de serviços, RPS), for service invoices.",
		func(v *invoice) *rps { return v.RPS }, fields[rps]{
			"number": number("Number of the RPS.", func(r *rps) *einvoice.Int { return r.Number }),
			"series": text("Series of the RPS.", func(r *rps) str { return r.Series }),
		}),
	"authorization": object("Receipt of the authorization.",
		func(v *invoice) *authorization { return v.Authorization }, fields[authorization]{
			"date":         text("When it was authorized.", func(a *authorization) str { return a.Date }),
			"protocol":     text("Protocol of the authority.", func(a *authorization) str { return a.Protocol }),
			"digest_value": text("Digest of the signed document.", func(a *authorization) str { return a.DigestValue }),
		}),
	"processing_detail": object("Last step of processing. Its `status` says nothing about the invoice: a rejected one "+
		"has `success`.", func(v *invoice) *processing { return v.ProcessingDetail }, fields[processing]{
		"status": text("Whether the step ran: `success`, `processing` or `failed`.",
			func(p *processing) enum { return p.Status }),
		"code": text("Code of the authority, or an `SPD` code of the service.",
			func(p *processing) str { return p.Code }),
		"message": text("Message of the authority or of the service.", func(p *processing) str { return p.Message }),
		"on":      text("When the step ran.", func(p *processing) str { return p.On }),
	}),
	"cancellation": object("Receipt of the cancellation (cancelamento).",
		func(v *invoice) *cancellation { return v.Cancellation }, fields[cancellation]{
			"date":          text("When it was canceled.", func(c *cancellation) str { return c.Date }),
			"protocol":      text("Protocol of the authority.", func(c *cancellation) str { return c.Protocol }),
			"justification": text("Reason that was given.", func(c *cancellation) str { return c.Justification }),
		}),
	"contingency": object("Issue in contingency (contingência).",
		func(v *invoice) *contingency { return v.Contingency }, fields[contingency]{
			"date":   text("Since when.", func(c *contingency) str { return c.Date }),
			"reason": text("Why.", func(c *contingency) str { return c.Reason }),
		}),
}

// otherFields are what only the data sources show.
var otherFields = fields[invoice]{
	"integration_id": text("The issuer's own identifier of the invoice.",
		func(v *invoice) str { return v.IntegrationID }),
	"model": text("Kind of invoice: "+attribute.WordList(einvoice.Models)+".",
		func(v *invoice) enum { return v.Model }),
	"operation_type": text("Direction: `incoming` or `outgoing`.",
		func(v *invoice) enum { return v.OperationType }),
	"printing_type": text("Form of the printed document, such as `portrait`.",
		func(v *invoice) enum { return v.PrintingType }),
	"purpose_type": text("Purpose, such as `normal`, `complement` or `devolution`.",
		func(v *invoice) enum { return v.PurposeType }),
	"debit_type": text("Kind of debit, if the purpose is `debit`.",
		func(v *invoice) enum { return v.DebitType }),
	"credit_type": text("Kind of credit, if the purpose is `credit`.",
		func(v *invoice) enum { return v.CreditType }),
	"gov_operation_type": text("Kind of sale to the government: `supply` or `receipt`.",
		func(v *invoice) enum { return v.GovOperationType }),
	"is_from_api": {
		schema.BoolAttribute{MarkdownDescription: "Whether it was issued through the API.", Computed: true},
		func(v *invoice) attr.Value { return attribute.FlagOrNull(v.IsFromAPI) },
	},
	"gov_purchase": object("Sale to the government.", func(v *invoice) *einvoice.GovPurchase { return v.GovPurchase },
		fields[einvoice.GovPurchase]{
			"type": text("Kind of public body.", func(g *einvoice.GovPurchase) str { return g.Type }),
			"rate": decimal("Reduction rate.", func(g *einvoice.GovPurchase) *einvoice.Number { return g.Rate }),
		}),
	"authorized_persons": {
		schema.ListAttribute{
			MarkdownDescription: "Tax numbers that may read the XML at the authority.",
			ElementType:         types.StringType, Computed: true,
		},
		func(v *invoice) attr.Value { return textList(v.AuthorizedPersons) },
	},
	"order": object("Order that it was issued from.", func(v *invoice) *order { return v.Order }, fields[order]{
		"id":   text("Identifier of the order at the service.", func(o *order) str { return o.ID }),
		"date": text("Date of the order.", func(o *order) str { return o.Date }),
		"transaction_id": text("The seller's own identifier of the sale.",
			func(o *order) str { return o.TransactionID }),
	}),
	"company": object("Company that issues it.", func(v *invoice) *company { return v.Company }, fields[company]{
		"name":       text("Name or trade name (nome fantasia).", func(c *company) str { return c.Name }),
		"legal_name": text("Legal name (razão social).", func(c *company) str { return c.LegalName }),
		"federal_tax_number": text("CNPJ or CPF, without punctuation.",
			func(c *company) str { return c.FederalTaxNumber }),
		"state_tax_number": text("State registration (inscrição estadual).",
			func(c *company) str { return c.StateTaxNumber }),
		"city_tax_number": text("Municipal registration (inscrição municipal).",
			func(c *company) str { return c.CityTaxNumber }),
	}),
	"receiver": object("Recipient.", func(v *invoice) *party { return v.Receiver }, merged(partyFields, fields[party]{
		"suframa_tax_number": text("SUFRAMA registration.", func(p *party) str { return p.SuframaTaxNumber }),
		"municipal_tax_number": text("Municipal registration, as service invoices show it.",
			func(p *party) str { return p.MunicipalTaxNumber }),
	})),
	"pickup":   object("Where the goods are picked up.", func(v *invoice) *party { return v.Pickup }, partyFields),
	"delivery": object("Where the goods are delivered.", func(v *invoice) *party { return v.Delivery }, partyFields),
	"raw_json": text("The whole invoice as the service sent it, as JSON: for fields that have no attribute here.",
		func(v *invoice) str { return str(v.Raw) }),
}

var partyFields = fields[party]{
	"name": text("Name.", func(p *party) str { return p.Name }),
	"federal_tax_number": text("CPF, CNPJ or foreign document, without punctuation.",
		func(p *party) str { return p.FederalTaxNumber }),
	"state_tax_number": text("State registration.", func(p *party) str { return p.StateTaxNumber }),
	"city_tax_number":  text("Municipal registration.", func(p *party) str { return p.CityTaxNumber }),
	"email":            text("E-mail address.", func(p *party) str { return p.Email }),
	"phone_number":     text("Telephone.", func(p *party) str { return p.PhoneNumber }),
	"address": object("Address.", func(p *party) *place { return p.Address }, fields[place]{
		"street":      text("Street.", func(a *place) str { return a.Street }),
		"district":    text("District.", func(a *place) str { return a.District }),
		"postal_code": text("Postal code (CEP).", func(a *place) str { return a.PostalCode }),
		"number":      text("Number in the street.", func(a *place) str { return a.Number }),
		"additional_information": text("Floor, room and the like.",
			func(a *place) str { return a.AdditionalInformation }),
		"country": text("Country.", func(a *place) einvoice.CountryName { return a.Country }),
		"city": object("City.", func(a *place) *city { return a.City }, fields[city]{
			"code":  text("IBGE municipal code, 7 digits.", func(c *city) str { return c.Code }),
			"name":  text("Name of the city.", func(c *city) str { return c.Name }),
			"state": text("Two-letter code of the state.", func(c *city) str { return c.State }),
		}),
	}),
}

// invoiceFields are all attributes of an invoice in a data source.
var invoiceFields = merged(essentialFields, detailFields, otherFields)

func merged[T any](tables ...fields[T]) fields[T] {
	all := fields[T]{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// textList tells an empty list from one that the service does not show.
func textList(texts []str) types.List {
	if texts == nil {
		return types.ListNull(types.StringType)
	}
	elements := []attr.Value{}
	for _, text := range texts {
		elements = append(elements, attribute.TextOrNull(text))
	}
	return types.ListValueMust(types.StringType, elements)
}
