package e2e_test

import (
	_ "embed" // The table.
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A value that is not known while planning may turn out to be anything that a
// configuration can say, also null. What was planned as known beside it must be
// true for each of these, or the CLI ends the apply as a bug of the provider.

// turnsOut are the values that an attribute turns out to have, one after the other, and what has to be configured
// beside it, by path; null takes a part of the common arguments out. A list ends where it began, unless not every
// change can be undone.
type turnsOut struct {
	As        []any
	Arguments object
}

type object = map[string]any

//go:embed testdata/unknown_values.json
var unknownValuesJSON []byte

// unknownValues are, for each resource, its arguments and the values of each attribute, by their paths.
var unknownValues = func() (values map[string]struct {
	Arguments  object
	Attributes map[string]turnsOut
},
) {
	if err := json.Unmarshal(unknownValuesJSON, &values); err != nil {
		panic(err)
	}
	return values
}()

// ownCompany stands for the id of the main company.
const ownCompany = "(own)"

// correctedInvoice is an authorized NF-e that each of these tests finds.
const correctedInvoice = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// receivedInvoice is an NF-e that was issued against the company.
const receivedInvoice = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"

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

func TestUnknownValues_makeNothingKnownThatMayChange(t *testing.T) {
	t.Parallel()
	for name, row := range unknownValues {
		for at, test := range row.Attributes {
			rows.Case(t, name+"/"+at, func(t *testing.T) {
				s, arguments, set := aConfiguration(t)
				for path, value := range row.Arguments {
					set(path, value)
				}
				for path, value := range test.Arguments {
					set(path, value)
				}
				o := testkit.Serve(t, s, nil).Object(name)
				set(at, tftypes.UnknownValue)
				unknown := o.Value(o.Type, arguments)
				// A creation, and updates from each value to the next.
				for _, value := range test.As {
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
				if _, tested := unknownValues[name].Attributes[at+a.Name]; a.Optional && a.Computed && !tested {
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

// Core applies ignore_changes to the configuration that a plan sees, and not to the one that an apply sees. So an apply
// that reads its configuration sends what no plan has shown.

// ignorable is a resource that is changed, with another value for each of its attributes.
type ignorable struct {
	arguments object         // each attribute has a value
	change    [2]object      // sends something; the second one where the attribute is in the first
	others    map[string]any // by path
	local     []string       // what no request depends on
	lists     []string       // are one value: what is in them is not ignored alone
}

var ignorables = map[string]ignorable{
	"einvoice_company": {
		arguments: joinedObjects(wholeAddress("address"), object{
			"mobile_phone": "11912345678", "name": "Filial", "legal_name": "Filial Ltda", "federal_tax_number": "11444777000161", "state_tax_number": "ISENTO",
			"city_tax_number": "1", "email": "a@example.com", "phone": "11912345678", "tax_regime": "simplesNacional",
			"economic_activities": []any{object{"code": "1091102", "type": "main"}}, "deletion_protection": true, "extra_json": `{"a":1}`,
		}),
		change: [2]object{{"name": "Loja"}, {"legal_name": "Loja Ltda"}},
		others: joinedObjects(otherAddress("address"), object{
			"mobile_phone": "11987654321", "name": "Outra", "legal_name": "Outra Ltda", "federal_tax_number": "11222333000181", "state_tax_number": "110042490114",
			"city_tax_number": "2", "email": "b@example.com", "phone": "11987654321", "tax_regime": "regimeNormal",
			"economic_activities": []any{object{"code": "4721102", "type": "main"}}, "deletion_protection": false, "extra_json": `{"a":2}`,
		}),
		local: []string{"deletion_protection"}, lists: []string{"economic_activities"},
	},
	"einvoice_company_settings": {
		arguments: object{
			"company_id": ownCompany, "extra_json": `{"general":{"roundingTolerance":2}}`,
			"secrets.csc_wo": "SECRET-CSC", "secrets.csc_wo_version": "1", "secrets.service_password_wo": "s3cret-password",
			"secrets.service_password_wo_version": "1", "secrets.csrts_wo": `[{"id":"01","code":"SECRET-CSRT"}]`, "secrets.csrts_wo_version": "1",
			"general.allow_duplicate_federal_tax_numbers": false, "general.allow_natural_person_company": false,
			"general.allow_multiple_invoice_models_per_order": false, "general.decimal_precision": 2,
			"general.tax_reform_fields_enabled":                false,
			"general.technical_responsible.federal_tax_number": "11222333000181", "general.technical_responsible.contact_name": "Ana",
			"general.technical_responsible.email": "a@example.com", "general.technical_responsible.phone": "11912345678",
			"product_invoice.series": "1", "product_invoice.next_number": 5, "product_invoice.environment_type": "development",
			"product_invoice.danfe_print_layout": "default", "product_invoice.inbound.enabled": false,
			"product_invoice.inbound.start_date": "2026-01-01T00:00:00-03:00",
			"consumer_invoice.series":            "1", "consumer_invoice.next_number": 5, "consumer_invoice.environment_type": "development",
			"consumer_invoice.token_id": "000001", "consumer_invoice.allow_offline_contingency": false,
			"service_invoice.series": "1", "service_invoice.next_number": 5, "service_invoice.next_batch_number": 5,
			"service_invoice.environment_type": "development", "service_invoice.issue_type": "normal", "service_invoice.user_name": "city",
			"service_invoice.auth_number": "1", "service_invoice.send_city_tax_number": false,
		},
		// Each block is written for another reason too.
		change: [2]object{
			{"general.decimal_precision": 3, "product_invoice.series": "7", "consumer_invoice.series": "7", "service_invoice.series": "7"},
			{
				"general.allow_natural_person_company": true, "product_invoice.danfe_print_layout": "simplified",
				"consumer_invoice.token_id": "000007", "service_invoice.auth_number": "7",
			},
		},
		others: object{
			"company_id": correctedInvoice, "extra_json": `{"general":{"roundingTolerance":9}}`,
			"secrets": object{
				"csc_wo": "OTHER-CSC", "csc_wo_version": "2", "service_password_wo": "0ther-password", "service_password_wo_version": "2",
				"csrts_wo": `[{"id":"02","code":"OTHER-CSRT"}]`, "csrts_wo_version": "2",
			},
			"general": object{"allow_duplicate_federal_tax_numbers": true, "decimal_precision": 3, "technical_responsible": object{"contact_name": "Maria"}},
			"general.allow_duplicate_federal_tax_numbers": true, "general.allow_natural_person_company": true,
			"general.allow_multiple_invoice_models_per_order": true, "general.decimal_precision": 4, "general.tax_reform_fields_enabled": true,
			"general.technical_responsible":                    object{"federal_tax_number": "11444777000161", "email": "b@example.com"},
			"general.technical_responsible.federal_tax_number": "11444777000161", "general.technical_responsible.contact_name": "Maria",
			"general.technical_responsible.email": "b@example.com", "general.technical_responsible.phone": "11987654321",
			"product_invoice":        object{"series": "9", "next_number": 500, "environment_type": "production", "inbound": object{"enabled": true}},
			"product_invoice.series": "9", "product_invoice.next_number": 500, "product_invoice.environment_type": "production",
			"product_invoice.danfe_print_layout": "simplified", "product_invoice.inbound": object{"enabled": true, "start_date": "2026-02-01T00:00:00-03:00"},
			"product_invoice.inbound.enabled": true, "product_invoice.inbound.start_date": "2026-02-01T00:00:00-03:00",
			"consumer_invoice":        object{"series": "9", "next_number": 500, "environment_type": "production", "token_id": "000009"},
			"consumer_invoice.series": "9", "consumer_invoice.next_number": 500, "consumer_invoice.environment_type": "production",
			"consumer_invoice.token_id": "000009", "consumer_invoice.allow_offline_contingency": true,
			"service_invoice":        object{"series": "9", "next_number": 500, "environment_type": "production", "user_name": "town"},
			"service_invoice.series": "9", "service_invoice.next_number": 500, "service_invoice.next_batch_number": 500,
			"service_invoice.environment_type": "production", "service_invoice.issue_type": "annfs", "service_invoice.user_name": "town",
			"service_invoice.auth_number": "2", "service_invoice.send_city_tax_number": true,
		},
	},
	"einvoice_company_settings with secrets in state": {
		arguments: object{
			"company_id": ownCompany, "consumer_invoice.csc": "SECRET-CSC", "service_invoice.password": "s3cret-password",
			"consumer_invoice.series": "1", "service_invoice.series": "1",
		},
		change: [2]object{{"consumer_invoice.series": "7", "service_invoice.series": "7"}, {}},
		others: object{"consumer_invoice.csc": "OTHER-CSC", "service_invoice.password": "0ther-password"},
	},
	"einvoice_customer": {
		arguments: joinedObjects(wholeAddress("address"), object{
			"name": "Padaria", "legal_name": "Padaria Ltda", "federal_tax_number": "11222333000181", "state_tax_number": "110042490114",
			"city_tax_number": "1", "email": "a@example.com", "phone": "11912345678", "mobile_phone": "11912345678",
			"address.city_name": "São Paulo", "extra_json": `{"a":1}`,
		}),
		change: [2]object{{"name": "Loja"}, {"legal_name": "Loja Ltda"}},
		others: joinedObjects(otherAddress("address"), object{
			"name": "Outra", "legal_name": "Outra Ltda", "federal_tax_number": "11444777000161", "state_tax_number": "110042490115",
			"city_tax_number": "2", "email": "b@example.com", "phone": "11987654321", "mobile_phone": "11987654321",
			"address.city_name": "Santos", "extra_json": `{"a":2}`,
		}),
	},
	"einvoice_product": {
		arguments: object{"name": "Pão", "code": "P-1", "price": 2.5, "invoice_model": "productInvoice", "extra_json": `{"a":1}`},
		change:    [2]object{{"name": "Broa"}, {"code": "P-2"}},
		others:    object{"name": "Bolo", "code": "P-3", "price": 3.5, "invoice_model": "serviceInvoice", "extra_json": `{"a":2}`},
	},
	"einvoice_webhook": {
		arguments: object{"event": "invoice.authorized", "url": "https://example.com/a", "enabled": true},
		change:    [2]object{{"url": "https://example.com/b"}, {"event": "invoice.canceled"}},
		others:    object{"event": "invoice.rejected", "url": "https://example.com/c", "enabled": false},
	},
	"einvoice_webhook_secret_rotation": {
		arguments: object{"triggers": object{"quarter": "1"}, "window_hours": 24, "store_secret": false},
		change:    [2]object{{}, {}}, // A change replaces, or only reads the secret.
		others:    object{"triggers": object{"quarter": "2"}, "window_hours": 48, "store_secret": true},
		local:     []string{"store_secret"},
	},
	"einvoice_invoice_issuance": {
		arguments: joinedObjects(serviceInvoice("order-1"), object{
			"issue": false, "issuer": "98765432000198", "payload_check": true, "accept_contingency": false,
			"cancellation_reason": "Emitida por engano no teste", "cancel_window": "24h", "timeouts.create": "5m", "timeouts.update": "5m",
			"timeouts.delete": "5m",
		}),
		change: [2]object{{"payload_json": `{"description":"Outro","federalServiceCode":"17.01","total":{"invoiceAmount":20}}`}, {"issue": true}},
		others: object{
			"model": "productInvoice", "integration_id": "order-2", "issuer": fixture.BranchNumber, "issue": true,
			"payload_json": `{"description":"Terceiro","federalServiceCode":"17.01","total":{"invoiceAmount":30}}`, "payload_check": false,
			"accept_contingency": true, "cancellation_reason": "Outra razão para o teste", "cancel_window": "48h",
			"timeouts": object{"create": "6m"}, "timeouts.create": "6m", "timeouts.update": "6m", "timeouts.delete": "6m",
		},
		local: []string{
			"payload_check", "accept_contingency", "cancellation_reason", "cancel_window", "timeouts", "timeouts.create", "timeouts.update", "timeouts.delete",
		},
	},
	"einvoice_order": {
		arguments: joinedObjects(wholeAddress("customer.address"), object{
			"transaction_id": "t-1", "amount": 10, "issuer": "98765432000198", "date": "2026-03-10T10:00:00-03:00", "discount_amount": 1, "freight_amount": 1,
			"status": "created", "payment_method": "pix", "auto_issue_mode": "disabled", "warranty_date": "2026-04-10T10:00:00-03:00",
			"send_email_to_customer": false, "customer.name": "Maria", "customer.federal_tax_number": "52998224725", "customer.email": "a@example.com",
			"customer.legal_name": "Maria Ltda", "customer.state_tax_number": "110042490114",
			"customer.address.city_name": "São Paulo", "items": []any{object{"quantity": 1, "price": 10, "product": object{"name": "Camisa"}}},
			"extra_json": `{"a":1}`, "issue_invoices": false, "effective_date": "2026-03-11T10:00:00-03:00", "wait_for_invoices": false,
			"accept_contingency": false, "cancellation_reason": "Emitida por engano no teste", "timeouts.create": "5m", "timeouts.update": "5m", "timeouts.delete": "5m",
		}),
		change: [2]object{{"status": "approved"}, {"issue_invoices": true}},
		others: joinedObjects(otherAddress("customer.address"), object{
			"transaction_id": "t-2", "amount": 20, "issuer": fixture.BranchNumber, "date": "2026-03-12T10:00:00-03:00", "discount_amount": 2, "freight_amount": 2,
			"status": "canceled", "payment_method": "money", "auto_issue_mode": "immediately", "warranty_date": "2026-04-12T10:00:00-03:00",
			"send_email_to_customer": true, "customer.name": "Ana", "customer.federal_tax_number": "11144477735", "customer.email": "b@example.com",
			"customer.legal_name": "Ana Ltda", "customer.state_tax_number": "110042490115",
			"customer": object{"name": "Ana"}, "customer.address.city_name": "Santos",
			"items": []any{object{"quantity": 1, "price": 20, "product": object{"name": "Saia"}}}, "extra_json": `{"a":2}`, "issue_invoices": true,
			"effective_date": "2026-03-13T10:00:00-03:00", "wait_for_invoices": true, "accept_contingency": true, "cancellation_reason": "Outra razão para o teste",
			"timeouts": object{"create": "6m"}, "timeouts.create": "6m", "timeouts.update": "6m", "timeouts.delete": "6m",
		}),
		local: []string{
			"effective_date", "wait_for_invoices", "accept_contingency", "cancellation_reason", "timeouts", "timeouts.create", "timeouts.update", "timeouts.delete",
		},
		lists: []string{"items"},
	},
	"einvoice_correction_letter": {
		arguments: object{"invoice_id": correctedInvoice, "letter": fixture.TestLetter, "issuer": "98765432000198"},
		change:    [2]object{{}, {}}, // Nothing is sent for a letter that was sent.
		others:    object{"invoice_id": receivedInvoice, "letter": "Onde se lê 3 volumes, leia-se 4.", "issuer": fixture.BranchNumber},
	},
	"einvoice_inbound_manifestation": {
		arguments: object{"invoice_id": receivedInvoice, "status": "acknowledged", "company": "98765432000198"},
		change:    [2]object{{"status": "confirmed"}, {}},
		others:    object{"invoice_id": correctedInvoice, "status": "unknown", "company": fixture.BranchNumber, "justification": "Nada foi comprado deles"},
	},
	"einvoice_company_certificate": {
		arguments: object{
			"company_id": ownCompany, "password_wo": fixture.ConfiguredPFXPassword, "pfx_base64_wo_version": "1", "pfx_base64_wo": fixture.ConfiguredPFX,
		},
		change: [2]object{{}, {}}, // A change replaces.
		others: object{"pfx_base64_wo_version": "2", "company_id": correctedInvoice},
	},
}

func joinedObjects(of ...object) object {
	all := object{}
	for _, o := range of {
		maps.Copy(all, o)
	}
	return all
}

func wholeAddress(at string) object {
	return object{
		at + ".street": "Rua A", at + ".number": "1", at + ".district": "Centro", at + ".postal_code": "01310100",
		at + ".additional_information": "fundos", at + ".city.code": "3550308", at + ".country.code": 1058,
	}
}

func otherAddress(at string) object {
	return object{
		at: object{"street": "Rua C", "city": object{"code": "3304557"}}, at + ".street": "Rua B", at + ".number": "2",
		at + ".district": "Sé", at + ".postal_code": "20040002", at + ".additional_information": "frente",
		at + ".city": object{"code": "3304557"}, at + ".city.code": "3304557", at + ".city.name": "Rio de Janeiro", at + ".city.state": "RJ",
		at + ".country": object{"code": 6076}, at + ".country.code": 6076, at + ".country.name": "Portugal",
	}
}

// An apply sends what its plan has shown, whatever the configuration says about what is ignored.
func TestIgnored_isNotSent(t *testing.T) {
	t.Parallel()
	for name, row := range ignorables {
		kind, _, _ := strings.Cut(name, " ")
		for at, other := range row.others {
			rows.Case(t, name+"/"+at, func(t *testing.T) {
				change := row.change[0]
				for path := range change {
					if path == at || strings.HasPrefix(path, at+".") {
						change = row.change[1]
						break
					}
				}
				asPlanned := row.sent(t, kind, at, nil, change, true)
				expect.Same(t, asPlanned, row.sent(t, kind, at, other, change, true), "what is ignored changes what is sent")
				hasEffect := !cmp.Equal(asPlanned, row.sent(t, kind, at, other, change, false))
				if isLocal := slices.Contains(row.local, at); hasEffect == isLocal {
					t.Errorf("where it is not ignored, it changes what is sent: %t", hasEffect)
				}
			})
		}
	}
}

// sent is what an update sends while an attribute is configured as other, which is nil for what it was before, and
// whether that is ignored.
func (row ignorable) sent(t *testing.T, kind, at string, other any, change object, isIgnored bool) (sent []string) {
	t.Helper()
	s, arguments, set := aConfiguration(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	for _, path := range slices.Sorted(maps.Keys(row.arguments)) {
		set(path, row.arguments[path])
	}
	settings := object{"company_keys": object{fixture.BranchNumber: key}}
	o := testkit.Serve(t, s, settings).Object(kind)
	o.MustCreate(arguments)
	o.Protocol = testkit.Serve(t, s, settings) // Another run.
	o.MustNotFail(o.Refresh())
	for path, value := range change {
		set(path, value)
	}
	shown := o.Ignoring(at, o.Value(o.Type, arguments))
	if other != nil {
		set(at, other)
	}
	if !isIgnored {
		shown = o.Value(o.Type, arguments)
	}
	planned, said := o.Plan(shown)
	failed := testkit.ErrorsIn(said)
	if failed == "" && len(planned.RequiresReplace) > 0 {
		failed = "it is replaced"
	}
	before := len(s.Requests())
	if failed == "" {
		failed = testkit.ErrorsIn(o.Apply(o.Value(o.Type, arguments), planned))
	}
	if isIgnored && failed != "" {
		t.Fatal(failed)
	}
	if failed != "" {
		sent = append(sent, failed)
	}
	for _, r := range s.Requests()[before:] {
		if r.Method != "GET" {
			text := fmt.Sprintf("%s %s as %s: %s", r.Method, r.Path, r.Key, r.Body)
			for _, varies := range []*regexp.Regexp{uuids, times} {
				text = varies.ReplaceAllString(text, "(varies)")
			}
			sent = append(sent, text)
		}
	}
	if len(sent) == 0 && len(change) > 0 {
		t.Error("the change sends nothing")
	}
	return sent
}

// What differs between two runs: ids and keys, and when the sandbox has made or changed an object.
var (
	uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"(apiKey|concurrencyStamp)":"[^"]*"`)
	times = regexp.MustCompile(`"(creationTime|lastModificationTime)":"[^"]*"`)
)

// Every attribute that can be configured is in the table.
func TestIgnored_isEveryAttribute(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for kind, schema := range p.Schemas.ResourceSchemas {
		row := ignorables[kind]
		more := ignorables[kind+" with secrets in state"].others
		var check func(at string, attributes []*tfprotov6.SchemaAttribute)
		check = func(at string, attributes []*tfprotov6.SchemaAttribute) {
			for _, a := range attributes {
				path := at + a.Name
				if _, tested := joinedObjects(row.others, more)[path]; (a.Optional || a.Required) && !a.WriteOnly && !tested && !strings.HasPrefix(path, "secrets.") {
					t.Errorf("%s: %s is not in the table", kind, path)
				}
				if a.NestedType != nil && !slices.Contains(row.lists, path) {
					check(path+".", a.NestedType.Attributes)
				}
			}
		}
		check("", schema.Block.Attributes)
	}
}
