package invoice

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

// The read shape of an issued invoice, the same for all models. What a model does not have
// is null.

// essentialFields are what a person asks of an invoice first.
func essentialFields(v *einvoice.Invoice) shown.Fields {
	return shown.Fields{
		"id":     shown.Text("Identifier of the invoice at the service (a UUID).", v.ID),
		"status": shown.Text("Status: "+attribute.WordList(einvoice.InvoiceStatuses)+", or a newer one.", v.Status),
		"number": shown.Int("Number of the invoice; null until it has one.", v.Number),
		"series": shown.Text("Series of the invoice.", v.Series),
		"access_key": shown.Text("Access key (chave de acesso): 44 characters for NF-e and NFC-e, 50 digits for the "+
			"national NFS-e. Null until the invoice is authorized.", v.AccessKey),
		"amount": shown.Number("Total, in reais.", v.Amount),
		"environment_type": shown.Text("`production`, `development` (the test environment, homologação) or "+
			"`simulation`: only `production` has fiscal value.", v.EnvironmentType),
	}
}

// detailFields are all else that the service decides. The resource keeps them in one
// object: a plan then shows one line for all of them.
func detailFields(v *einvoice.Invoice) shown.Fields {
	return shown.Fields{
		"issued_on":      shown.Text("When it was issued.", v.IssuedOn),
		"effective_date": shown.Text("The date that counts as the issue date.", v.EffectiveDate),
		"issue_type":     shown.Text("How it was issued: `normal`, or in contingency, as `svcan`. "+wordsPage, v.IssueType),
		"batch_number":   shown.Int("Number of the batch, for service invoices.", v.BatchNumber),
		"rps": shown.Object("Provisional receipt (recibo provisório de serviços, RPS), for service invoices.", v.RPS,
			func(r *einvoice.RPS) shown.Fields {
				return shown.Fields{
					"number": shown.Int("Number of the RPS.", r.Number),
					"series": shown.Text("Series of the RPS.", r.Series),
				}
			}),
		"authorization": shown.Object("Receipt of the authorization.", v.Authorization,
			func(a *einvoice.Authorization) shown.Fields {
				return shown.Fields{
					"date":         shown.Text("When it was authorized.", a.Date),
					"protocol":     shown.Text("Protocol of the authority.", a.Protocol),
					"digest_value": shown.Text("Digest of the signed document.", a.DigestValue),
				}
			}),
		"processing_detail": shown.Object("Last step of processing. Its `status` says nothing about the invoice: a "+
			"rejected one has `success`.", v.ProcessingDetail, func(p *einvoice.ProcessingDetail) shown.Fields {
			return shown.Fields{
				"status":  shown.Text("Whether the step ran: `success`, `processing` or `failed`.", p.Status),
				"code":    shown.Text("Code of the authority, or an `SPD` code of the service.", p.Code),
				"message": shown.Text("Message of the authority or of the service.", p.Message),
				"on":      shown.Text("When the step ran.", p.On),
			}
		}),
		"cancellation": shown.Object("Receipt of the cancellation (cancelamento).", v.Cancellation,
			func(c *einvoice.Cancellation) shown.Fields {
				return shown.Fields{
					"date":          shown.Text("When it was canceled.", c.Date),
					"protocol":      shown.Text("Protocol of the authority.", c.Protocol),
					"justification": shown.Text("Reason that was given.", c.Justification),
				}
			}),
		"contingency": shown.Object("Issue in contingency (contingência).", v.Contingency,
			func(c *einvoice.Contingency) shown.Fields {
				return shown.Fields{
					"date":   shown.Text("When it began.", c.Date),
					"reason": shown.Text("Why the invoice was issued in contingency.", c.Reason),
				}
			}),
	}
}

// wordsPage lists the words of an enumeration, with what they mean.
const wordsPage = "[All values](../guides/payloads.md#words-and-their-meanings)."

// invoiceFields are all that the data sources show.
func invoiceFields(v *einvoice.Invoice) shown.Fields {
	all := shown.Fields{
		"integration_id":     shown.Text("The issuer's own identifier of the invoice.", v.IntegrationID),
		"model":              shown.Text("Kind of invoice: "+attribute.WordList(einvoice.Models)+".", v.Model),
		"operation_type":     shown.Text("Direction: `incoming` or `outgoing`.", v.OperationType),
		"printing_type":      shown.Text("Form of the printed document, such as `portrait`. "+wordsPage, v.PrintingType),
		"purpose_type":       shown.Text("Purpose, such as `normal` or `devolution`. "+wordsPage, v.PurposeType),
		"debit_type":         shown.Text("Kind of debit, if the purpose is `debit`. "+wordsPage, v.DebitType),
		"credit_type":        shown.Text("Kind of credit, if the purpose is `credit`. "+wordsPage, v.CreditType),
		"gov_operation_type": shown.Text("Kind of sale to the government: `supply` or `receipt`.", v.GovOperationType),
		"is_from_api":        shown.Flag("Whether it was issued through the API.", v.IsFromAPI),
		"gov_purchase": shown.Object("Sale to the government.", v.GovPurchase,
			func(g *einvoice.GovPurchase) shown.Fields {
				return shown.Fields{
					"type": shown.Text("Kind of public body.", g.Type),
					"rate": shown.Number("Reduction rate.", g.Rate),
				}
			}),
		"authorized_persons": shown.Texts("Tax numbers that may read the XML at the authority.", v.AuthorizedPersons),
		"order": shown.Object("Order that it was issued from.", v.Order, func(o *einvoice.InvoiceOrder) shown.Fields {
			return shown.Fields{
				"id":             shown.Text("Identifier of the order at the service.", o.ID),
				"date":           shown.Text("Date of the order.", o.Date),
				"transaction_id": shown.Text("The seller's own identifier of the sale.", o.TransactionID),
			}
		}),
		"company": shown.Object("Company that issues it.", v.Company, func(c *einvoice.InvoiceCompany) shown.Fields {
			return shown.Fields{
				"name":               shown.Text("Name or trade name (nome fantasia).", c.Name),
				"legal_name":         shown.Text("Legal name (razão social).", c.LegalName),
				"federal_tax_number": shown.Text("CNPJ or CPF, without punctuation.", c.FederalTaxNumber),
				"state_tax_number":   shown.Text("State registration (inscrição estadual).", c.StateTaxNumber),
				"city_tax_number":    shown.Text("Municipal registration (inscrição municipal).", c.CityTaxNumber),
			}
		}),
		"receiver": shown.Object("Receiver.", v.Receiver, receiverFields),
		"pickup":   shown.Object("Where the goods are picked up.", v.Pickup, partyFields),
		"delivery": shown.Object("Where the goods are delivered.", v.Delivery, partyFields),
		"raw_json": shown.Text("The whole invoice as the service sent it, as JSON: for fields that have no "+
			"attribute here.", einvoice.Text(v.Raw)),
	}
	maps.Copy(all, essentialFields(v))
	maps.Copy(all, detailFields(v))
	return all
}

func receiverFields(p *einvoice.Party) shown.Fields {
	all := partyFields(p)
	all["suframa_tax_number"] = shown.Text("SUFRAMA registration.", p.SuframaTaxNumber)
	all["municipal_tax_number"] = shown.Text("Municipal registration, as service invoices show it.",
		p.MunicipalTaxNumber)
	return all
}

func partyFields(p *einvoice.Party) shown.Fields {
	return shown.Fields{
		"name":               shown.Text("Name.", p.Name),
		"federal_tax_number": shown.Text("CPF, CNPJ or foreign document, without punctuation.", p.FederalTaxNumber),
		"state_tax_number":   shown.Text("State registration.", p.StateTaxNumber),
		"city_tax_number":    shown.Text("Municipal registration.", p.CityTaxNumber),
		"email":              shown.Text("E-mail address.", p.Email),
		"phone_number":       shown.Text("Telephone.", p.PhoneNumber),
		"address": shown.Object("Address.", p.Address, func(a *einvoice.PartyAddress) shown.Fields {
			return shown.Fields{
				"street":                 shown.Text("Street.", a.Street),
				"district":               shown.Text("District.", a.District),
				"postal_code":            shown.Text("Postal code (CEP).", a.PostalCode),
				"number":                 shown.Text("Number in the street.", a.Number),
				"additional_information": shown.Text("Floor, room and the like.", a.AdditionalInformation),
				"country":                shown.Text("Country.", a.Country),
				"city": shown.Object("City.", a.City, func(c *einvoice.City) shown.Fields {
					return shown.Fields{
						"code":  shown.Text("IBGE municipal code, 7 digits.", c.Code),
						"name":  shown.Text("Name of the city.", c.Name),
						"state": shown.Text("Two-letter code of the state.", c.State),
					}
				}),
			}
		}),
	}
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
