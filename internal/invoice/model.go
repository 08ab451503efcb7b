package invoice

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The read shape of an issued invoice, the same for all models. What a model does not have
// is null.

// essentialFields are what a person asks of an invoice first.
func essentialFields(v *einvoice.Invoice) fields {
	return fields{
		"id":     text("Identifier of the invoice at the service (a UUID).", v.ID),
		"status": text("Status: "+attribute.WordList(einvoice.InvoiceStatuses)+", or a newer one.", v.Status),
		"number": number("Number of the invoice; null until it has one.", v.Number),
		"series": text("Series of the invoice.", v.Series),
		"access_key": text("Access key (chave de acesso): 44 characters for NF-e and NFC-e, 50 digits for the "+
			"national NFS-e. Null until the invoice is authorized.", v.AccessKey),
		"amount": decimal("Total, in reais.", v.Amount),
		"environment_type": text("`production`, `development` (the test environment, homologação) or `simulation`: "+
			"only `production` has fiscal value.", v.EnvironmentType),
	}
}

// detailFields are all else that the service decides. The resource keeps them in one
// object: a plan then shows one line for all of them.
func detailFields(v *einvoice.Invoice) fields {
	return fields{
		"issued_on":      text("When it was issued.", v.IssuedOn),
		"effective_date": text("The date that counts as the date of emission.", v.EffectiveDate),
		"issue_type": text("How it was issued: `normal`, or a form of contingency such as `svcan` or `offLine`.",
			v.IssueType),
		"batch_number": number("Number of the batch, for service invoices.", v.BatchNumber),
		"rps": object("Provisional receipt (recibo provisório de serviços, RPS), for service invoices.", v.RPS,
			func(r *einvoice.RPS) fields {
				return fields{
					"number": number("Number of the RPS.", r.Number),
					"series": text("Series of the RPS.", r.Series),
				}
			}),
		"authorization": object("Receipt of the authorization.", v.Authorization,
			func(a *einvoice.Authorization) fields {
				return fields{
					"date":         text("When it was authorized.", a.Date),
					"protocol":     text("Protocol of the authority.", a.Protocol),
					"digest_value": text("Digest of the signed document.", a.DigestValue),
				}
			}),
		"processing_detail": object("Last step of processing. Its `status` says nothing about the invoice: a "+
			"rejected one has `success`.", v.ProcessingDetail, func(p *einvoice.ProcessingDetail) fields {
			return fields{
				"status":  text("Whether the step ran: `success`, `processing` or `failed`.", p.Status),
				"code":    text("Code of the authority, or an `SPD` code of the service.", p.Code),
				"message": text("Message of the authority or of the service.", p.Message),
				"on":      text("When the step ran.", p.On),
			}
		}),
		"cancellation": object("Receipt of the cancellation (cancelamento).", v.Cancellation,
			func(c *einvoice.Cancellation) fields {
				return fields{
					"date":          text("When it was canceled.", c.Date),
					"protocol":      text("Protocol of the authority.", c.Protocol),
					"justification": text("Reason that was given.", c.Justification),
				}
			}),
		"contingency": object("Issue in contingency (contingência).", v.Contingency,
			func(c *einvoice.Contingency) fields {
				return fields{"date": text("Since when.", c.Date), "reason": text("Why.", c.Reason)}
			}),
	}
}

// invoiceFields are all that the data sources show.
func invoiceFields(v *einvoice.Invoice) fields {
	all := fields{
		"integration_id":     text("The issuer's own identifier of the invoice.", v.IntegrationID),
		"model":              text("Kind of invoice: "+attribute.WordList(einvoice.Models)+".", v.Model),
		"operation_type":     text("Direction: `incoming` or `outgoing`.", v.OperationType),
		"printing_type":      text("Form of the printed document, such as `portrait`.", v.PrintingType),
		"purpose_type":       text("Purpose, such as `normal`, `complement` or `devolution`.", v.PurposeType),
		"debit_type":         text("Kind of debit, if the purpose is `debit`.", v.DebitType),
		"credit_type":        text("Kind of credit, if the purpose is `credit`.", v.CreditType),
		"gov_operation_type": text("Kind of sale to the government: `supply` or `receipt`.", v.GovOperationType),
		"is_from_api": {
			schema.BoolAttribute{MarkdownDescription: "Whether it was issued through the API.", Computed: true},
			attribute.FlagOrNull(v.IsFromAPI),
		},
		"gov_purchase": object("Sale to the government.", v.GovPurchase, func(g *einvoice.GovPurchase) fields {
			return fields{"type": text("Kind of public body.", g.Type), "rate": decimal("Reduction rate.", g.Rate)}
		}),
		"authorized_persons": textList("Tax numbers that may read the XML at the authority.", v.AuthorizedPersons),
		"order": object("Order that it was issued from.", v.Order, func(o *einvoice.InvoiceOrder) fields {
			return fields{
				"id":             text("Identifier of the order at the service.", o.ID),
				"date":           text("Date of the order.", o.Date),
				"transaction_id": text("The seller's own identifier of the sale.", o.TransactionID),
			}
		}),
		"company": object("Company that issues it.", v.Company, func(c *einvoice.InvoiceCompany) fields {
			return fields{
				"name":               text("Name or trade name (nome fantasia).", c.Name),
				"legal_name":         text("Legal name (razão social).", c.LegalName),
				"federal_tax_number": text("CNPJ or CPF, without punctuation.", c.FederalTaxNumber),
				"state_tax_number":   text("State registration (inscrição estadual).", c.StateTaxNumber),
				"city_tax_number":    text("Municipal registration (inscrição municipal).", c.CityTaxNumber),
			}
		}),
		"receiver": object("Recipient.", v.Receiver, receiverFields),
		"pickup":   object("Where the goods are picked up.", v.Pickup, partyFields),
		"delivery": object("Where the goods are delivered.", v.Delivery, partyFields),
		"raw_json": text("The whole invoice as the service sent it, as JSON: for fields that have no attribute here.",
			einvoice.Text(v.Raw)),
	}
	maps.Copy(all, essentialFields(v))
	maps.Copy(all, detailFields(v))
	return all
}

func receiverFields(p *einvoice.Party) fields {
	all := partyFields(p)
	all["suframa_tax_number"] = text("SUFRAMA registration.", p.SuframaTaxNumber)
	all["municipal_tax_number"] = text("Municipal registration, as service invoices show it.", p.MunicipalTaxNumber)
	return all
}

func partyFields(p *einvoice.Party) fields {
	return fields{
		"name":               text("Name.", p.Name),
		"federal_tax_number": text("CPF, CNPJ or foreign document, without punctuation.", p.FederalTaxNumber),
		"state_tax_number":   text("State registration.", p.StateTaxNumber),
		"city_tax_number":    text("Municipal registration.", p.CityTaxNumber),
		"email":              text("E-mail address.", p.Email),
		"phone_number":       text("Telephone.", p.PhoneNumber),
		"address": object("Address.", p.Address, func(a *einvoice.PartyAddress) fields {
			return fields{
				"street":                 text("Street.", a.Street),
				"district":               text("District.", a.District),
				"postal_code":            text("Postal code (CEP).", a.PostalCode),
				"number":                 text("Number in the street.", a.Number),
				"additional_information": text("Floor, room and the like.", a.AdditionalInformation),
				"country":                text("Country.", a.Country),
				"city": object("City.", a.City, func(c *einvoice.City) fields {
					return fields{
						"code":  text("IBGE municipal code, 7 digits.", c.Code),
						"name":  text("Name of the city.", c.Name),
						"state": text("Two-letter code of the state.", c.State),
					}
				}),
			}
		}),
	}
}

// fields are the attributes that show an object of the service, by their names.
type fields map[string]field

// field is one attribute: how a schema describes it, and its value.
type field struct {
	schema.Attribute
	value attr.Value
}

func text[S ~string](description string, s S) field {
	return field{attribute.ComputedText(description), attribute.TextOrNull(s)}
}

// textList is null if the service shows no list, and not if it shows an empty one.
func textList(description string, texts []einvoice.Text) field {
	of := schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	if texts == nil {
		return field{of, types.ListNull(types.StringType)}
	}
	elements := []attr.Value{}
	for _, text := range texts {
		elements = append(elements, attribute.TextOrNull(text))
	}
	return field{of, types.ListValueMust(types.StringType, elements)}
}

func number(description string, n *einvoice.Int) field {
	return field{schema.Int64Attribute{MarkdownDescription: description, Computed: true}, attribute.IntOrNull(n)}
}

func decimal(description string, n *einvoice.Number) field {
	return field{schema.Float64Attribute{MarkdownDescription: description, Computed: true}, attribute.NumberOrNull(n)}
}

// object is null if the service shows no such part.
func object[T any](description string, v *T, parts func(*T) fields) field {
	return field{attribute.ComputedObject(description, attributesOf(parts)), objectOf(v, parts)}
}

func objectOf[T any](v *T, parts func(*T) fields) types.Object {
	if v == nil {
		return types.ObjectNull(typesOf(parts))
	}
	values := map[string]attr.Value{}
	for name, field := range parts(v) {
		values[name] = field.value
	}
	return types.ObjectValueMust(typesOf(parts), values)
}

func attributesOf[T any](parts func(*T) fields) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for name, field := range parts(new(T)) {
		attributes[name] = field.Attribute
	}
	return attributes
}

func typesOf[T any](parts func(*T) fields) map[string]attr.Type {
	types := map[string]attr.Type{}
	for name, field := range parts(new(T)) {
		types[name] = field.GetType()
	}
	return types
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
