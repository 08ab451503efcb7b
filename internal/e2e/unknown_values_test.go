package e2e_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A value that is not known while planning may turn out to be anything that a
// configuration can say, also null. What was planned as known beside it must be
// true for each of these, or the CLI ends the apply as a bug of the provider.

// turnsOut are the values that an attribute turns out to have, one after the
// other, and what has to be configured beside it, by path; nil takes a part of
// the common arguments out.
type turnsOut struct {
	as        []any
	arguments object
}

type object = map[string]any

var yesOrNo = oneOf(true, false, nil)

// oneOf ends where it began, inTurn does not: not every change can be undone.
func oneOf(as ...any) turnsOut  { return turnsOut{as: append(as, as[0])} }
func inTurn(as ...any) turnsOut { return turnsOut{as: as} }

func (u turnsOut) beside(arguments object) turnsOut {
	u.arguments = arguments
	return u
}

var unknownValues = map[string]struct {
	arguments  object
	attributes map[string]turnsOut
}{
	"einvoice_company": {
		arguments: object{"name": "Filial", "legal_name": "Filial Ltda", "federal_tax_number": "11.444.777/0001-61", "deletion_protection": false, "address.city.code": "3550308"},
		attributes: joined(addressUnknowns(""), map[string]turnsOut{
			"deletion_protection": yesOrNo,
			"address":             oneOf(object{"city": object{"code": "3550308"}}, object{"street": "Rua A", "city": object{"code": "3304557"}}),
			"name":                oneOf("Filial", "Loja"),
			"economic_activities": oneOf([]any{object{"code": "1091102", "type": "main"}}, nil),
			"federal_tax_number":  oneOf("11.444.777/0001-61", "11444777000161"),
			"extra_json":          oneOf(`{"a":1}`, `{"a":1.0}`, `{"b":2}`, nil),
		}),
	},
	"einvoice_company_settings": {
		arguments: object{"company_id": ownCompany},
		attributes: map[string]turnsOut{
			"company_id": oneOf(ownCompany),
			"general":    oneOf(object{"decimal_precision": 3}, object{}, nil),
			"extra_json": oneOf(`{"general":{"roundingTolerance":2}}`, `{"general":{"roundingTolerance":2.0}}`, nil),
			"general.allow_duplicate_federal_tax_numbers":      yesOrNo,
			"general.allow_natural_person_company":             yesOrNo,
			"general.allow_multiple_invoice_models_per_order":  yesOrNo,
			"general.decimal_precision":                        oneOf(2, 3, nil),
			"general.tax_reform_fields_enabled":                yesOrNo,
			"general.technical_responsible":                    oneOf(object{"contact_name": "Ana", "phone": "(11) 91234-5678"}, object{"email": "a@example.com"}, nil),
			"general.technical_responsible.federal_tax_number": oneOf("11.222.333/0001-81", "11222333000181", "11.444.777/0001-61", nil),
			"general.technical_responsible.contact_name":       oneOf("Ana", "Maria", nil),
			"general.technical_responsible.email":              oneOf("a@example.com", "b@example.com", nil),
			"general.technical_responsible.phone":              oneOf("(11) 91234-5678", "11912345678", "1112345678", nil),
			"product_invoice":                                  oneOf(object{"series": "2"}, object{"inbound": object{"enabled": true}}, nil),
			"product_invoice.series":                           oneOf("2", "3", nil),
			"product_invoice.next_number":                      oneOf(10, 20, 5, nil),
			"product_invoice.environment_type":                 oneOf("development", "production", nil),
			"product_invoice.danfe_print_layout":               oneOf("default", "simplified", nil),
			"product_invoice.inbound":                          oneOf(object{"enabled": true}, object{"start_date": "2026-01-01"}, nil),
			"product_invoice.inbound.enabled":                  yesOrNo,
			"product_invoice.inbound.start_date":               oneOf("2026-01-01", "2026-01-01T00:00:00-03:00", "2026-02-01", nil),
			"consumer_invoice":                                 oneOf(object{"series": "2", "csc": "SECRET-CSC"}, object{"token_id": "1", "csc": "OTHER-CSC"}, nil),
			"consumer_invoice.series":                          oneOf("2", "3", nil),
			"consumer_invoice.next_number":                     oneOf(10, 20, 5, nil),
			"consumer_invoice.environment_type":                oneOf("development", "production", nil),
			"consumer_invoice.token_id":                        oneOf("000001", "000002", nil).beside(object{"consumer_invoice.csc": "SECRET-CSC"}),
			"consumer_invoice.csc":                             oneOf("SECRET-CSC", "OTHER-CSC", nil),
			"consumer_invoice.allow_offline_contingency":       yesOrNo.beside(object{"consumer_invoice.csc": "SECRET-CSC", "consumer_invoice.token_id": "000001"}),
			"service_invoice":                                  oneOf(object{"series": "2", "password": "s3cret"}, object{"user_name": "city", "password": "other"}, nil),
			"service_invoice.series":                           oneOf("2", "3", nil),
			"service_invoice.next_number":                      oneOf(10, 20, 5, nil),
			"service_invoice.next_batch_number":                oneOf(10, 20, 5, nil),
			"service_invoice.environment_type":                 oneOf("development", "production", nil),
			"service_invoice.issue_type":                       oneOf("normal", "annfs", nil),
			"service_invoice.user_name":                        oneOf("city", "town", nil).beside(object{"service_invoice.password": "s3cret"}),
			"service_invoice.password":                         oneOf("s3cret", "other", nil),
			"service_invoice.auth_number":                      oneOf("1", "2", nil),
			"service_invoice.send_city_tax_number":             yesOrNo,
		},
	},
	"einvoice_customer": {
		arguments: object{"name": "Padaria", "federal_tax_number": "11.222.333/0001-81", "address.city.code": "3550308"},
		attributes: joined(addressUnknowns(""), map[string]turnsOut{
			"address.city_name":  oneOf("Lisboa", "Porto", nil).beside(object{"address.city": nil}),
			"name":               oneOf("Padaria", "Loja"),
			"federal_tax_number": oneOf("11.222.333/0001-81", "11222333000181", nil),
			"legal_name":         oneOf("Padaria Ltda", nil),
		}),
	},
	"einvoice_product": {
		arguments: object{"name": "Pão", "code": "P-1"},
		attributes: map[string]turnsOut{
			"name":          oneOf("Pão", "Broa"),
			"price":         oneOf(2.5, 3, nil),
			"invoice_model": oneOf("productInvoice", "serviceInvoice", nil),
		},
	},
	"einvoice_company_certificate": {
		arguments: object{
			"company_id": ownCompany, "password_wo": fixture.ConfiguredPFXPassword, "pfx_base64_wo_version": "1",
			"pfx_base64_wo": fixture.ConfiguredPFX,
		},
		attributes: map[string]turnsOut{"pfx_base64_wo_version": oneOf("1", "2"), "company_id": oneOf(ownCompany)},
	},
	"einvoice_webhook": {
		arguments: object{"event": "invoice.authorized", "url": "https://example.com/hook"},
		attributes: map[string]turnsOut{
			"enabled": yesOrNo,
			"event":   oneOf("invoice.authorized", "invoice.canceled"),
			"url":     oneOf("https://example.com/a", "https://example.com/b"),
		},
	},
	"einvoice_webhook_secret_rotation": {
		attributes: map[string]turnsOut{
			"store_secret": oneOf(true, false, true, nil),
			"window_hours": oneOf(24, 48, nil),
		},
	},
	"einvoice_invoice_issuance": {
		arguments: serviceInvoice("order-1"),
		attributes: map[string]turnsOut{
			"issue":              inTurn(false, true),
			"issuer":             oneOf("98765432000198", nil),
			"accept_contingency": yesOrNo,
			"cancel_window":      oneOf("24h", "48h", nil),
		},
	},
	"einvoice_correction_letter": {
		arguments:  object{"invoice_id": correctedInvoice, "letter": fixture.TestLetter},
		attributes: map[string]turnsOut{"issuer": oneOf("98765432000198", nil)},
	},
	"einvoice_inbound_manifestation": {
		arguments:  object{"invoice_id": receivedInvoice, "status": "acknowledged"},
		attributes: map[string]turnsOut{"company": oneOf("98765432000198", nil)},
	},
	"einvoice_order": {
		arguments: object{
			"transaction_id": "t-1", "amount": 10, "customer.name": "Maria", "customer.address.city.code": "3550308",
			"items": []any{object{"price": 10, "product": object{"name": "Camisa"}}},
		},
		attributes: joined(unchangeable(addressUnknowns("customer.")), map[string]turnsOut{
			"issuer":                     oneOf("98765432000198", nil),
			"customer.address.city_name": oneOf("Lisboa").beside(object{"customer.address.city": nil}),
			"accept_contingency":         yesOrNo,
			"auto_issue_mode":            oneOf("disabled"),
			"wait_for_invoices":          yesOrNo,
			"date":                       oneOf("2026-03-10"),
			"send_email_to_customer":     oneOf(true),
			"status":                     oneOf("created", nil, "approved", nil),
		}),
	},
}

// ownCompany stands for the id of the main company.
const ownCompany = "(own)"

// correctedInvoice is an authorized NF-e that each of these tests finds.
const correctedInvoice = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// receivedInvoice is an NF-e that was issued against the company.
const receivedInvoice = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"

// addressUnknowns are those of an address, which is at a path.
func addressUnknowns(at string) map[string]turnsOut {
	named := object{at + "address.city.code": nil, at + "address.city.name": "São Paulo", at + "address.city.state": "SP"}
	return map[string]turnsOut{
		at + "address":              oneOf(object{"street": "Rua A", "city": object{"code": "3550308"}}, object{"city": object{"code": "3304557"}}, object{"street": "Rua A"}, nil),
		at + "address.city":         oneOf(object{"code": "3550308"}, object{"name": "Rio de Janeiro", "state": "RJ"}, object{"code": "3304557"}, nil),
		at + "address.city.code":    oneOf("3550308", "3304557"),
		at + "address.city.name":    oneOf("São Paulo", "sao paulo", "Campinas").beside(named),
		at + "address.city.state":   oneOf("SP", "sp").beside(named),
		at + "address.country":      oneOf(object{"code": 1058}, object{"name": "Brasil"}, nil),
		at + "address.country.code": oneOf(1058, 6076),
		at + "address.country.name": oneOf("Brasil", "Portugal"),
	}
}

// unchangeable are attributes of an object that the service cannot change.
func unchangeable(attributes map[string]turnsOut) map[string]turnsOut {
	for at, test := range attributes {
		test.as = test.as[:1]
		attributes[at] = test
	}
	return attributes
}

// nested are arguments by their paths as a configuration has them.
func nested(byPath object) object {
	arguments := object{}
	for path, value := range byPath {
		testkit.Set(arguments, path, value)
	}
	return arguments
}

// aConfiguration is of an object of any kind: a service that has what objects refer to, the arguments, and what sets one
// of them by its path.
func aConfiguration(t *testing.T) (s *sandbox.Server, arguments object, set func(path string, value any)) {
	t.Helper()
	s = sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	s.Seed(sandbox.KindProductInvoices, object{"id": correctedInvoice, "status": "authorized"})
	s.SeedInbound(s.OwnerCompanyID(), object{"id": receivedInvoice})
	fixture.ExpectConfiguredPFX(s)
	arguments = object{}
	return s, arguments, func(path string, value any) {
		if value == ownCompany {
			value = s.OwnerCompanyID()
		}
		testkit.Set(arguments, path, value)
	}
}

func joined(attributes, more map[string]turnsOut) map[string]turnsOut {
	maps.Copy(attributes, more)
	return attributes
}

func TestUnknownValues_makeNothingKnownThatMayChange(t *testing.T) {
	t.Parallel()
	for name, row := range unknownValues {
		for at, test := range row.attributes {
			t.Run(name+"/"+at, func(t *testing.T) {
				t.Parallel()
				s, arguments, set := aConfiguration(t)
				for path, value := range row.arguments {
					set(path, value)
				}
				for path, value := range test.arguments {
					set(path, value)
				}
				o := testkit.Serve(t, s, nil).Object(name)
				set(at, tftypes.UnknownValue)
				unknown := o.Value(o.Type, arguments)
				// A creation, and updates from each value to the next.
				for _, value := range test.as {
					set(at, value)
					becomes(o, fmt.Sprintf("%v", value), unknown, o.Value(o.Type, arguments))
				}
			})
		}
	}
}

// Every attribute that may be configured and is computed otherwise is in the
// table.
func TestUnknownValues_areOfEveryAttribute(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, schema := range p.Schemas.ResourceSchemas {
		var check func(at string, attributes []*tfprotov6.SchemaAttribute)
		check = func(at string, attributes []*tfprotov6.SchemaAttribute) {
			for _, a := range attributes {
				if _, tested := unknownValues[name].attributes[at+a.Name]; a.Optional && a.Computed && !tested {
					t.Errorf("%s: %s%s is not tested", name, at, a.Name)
				}
				if a.NestedType != nil {
					check(at+a.Name+".", a.NestedType.Attributes)
				}
			}
		}
		check("", schema.Block.Attributes)
	}
}

// becomes plans an object with what is not known, and applies with what it turns
// out to be. The second plan must keep what the first said, and the object what
// the second said.
func becomes(o *testkit.Object, what string, unknown, known tftypes.Value) {
	o.T.Helper()
	first := o.MustPlan(unknown)
	if len(first.RequiresReplace) > 0 {
		o.Forget()
		first = o.MustPlan(unknown)
	}
	second := o.MustPlan(known)
	o.Agree("planned again as "+what, o.Unpack(first.PlannedState, o.Type), o.Unpack(second.PlannedState, o.Type))
	if o.T.Failed() {
		o.T.FailNow()
	}
	o.MustNotFail(o.Apply(known, second))
}
