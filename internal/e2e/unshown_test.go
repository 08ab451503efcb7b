package e2e_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// catalogue are the nouns that share their verbs, with the arguments of an object, of the
// same one changed, and of another one.
var catalogue = map[string]struct {
	kind, path            string
	first, changed, other object
	shown                 bool // the interface shows its operations: they can only be missing by mistake
}{
	"customer": {
		sandbox.KindCustomers, "/v1/customers",
		object{"name": "Maria"},
		object{"name": "Ana"},
		object{"name": "Padaria"},
		true,
	},
	"product": {
		sandbox.KindProducts, "/v1/products",
		object{"name": "Pão", "code": "P-1"},
		object{"name": "Bolo", "code": "P-1"},
		object{"name": "Broa", "code": "B-1"},
		false,
	},
	"webhook": {
		sandbox.KindWebhooks, "/v1/webhooks",
		object{"event": "invoice.authorized", "url": "https://hooks.example/in"},
		object{"event": "invoice.authorized", "url": "https://hooks.example/other", "enabled": false},
		object{"event": "invoice.rejected", "url": "https://hooks.example/in"},
		false,
	},
}

// eachOfTheCatalogue tests each noun with a service of its own, which has none of some
// operations on its path.
func eachOfTheCatalogue(
	t *testing.T, options sandbox.Options, without []string, test func(t *testing.T, s *sandbox.Server, noun string),
) {
	t.Helper()
	for noun, of := range catalogue {
		t.Run(noun, func(t *testing.T) {
			t.Parallel()
			options := options
			for _, operation := range without {
				options.Without = append(options.Without, strings.Replace(operation, "PATH", of.path, 1))
			}
			test(t, sandbox.Start(t, options), noun)
		})
	}
}

// created is an object of the catalogue.
func created(p *testkit.Protocol, noun string, arguments object) *testkit.Object {
	p.T.Helper()
	o := p.Object("einvoice_" + noun)
	_, said := o.Create(arguments)
	o.MustNotFail(said)
	return o
}

// A service that shows neither single objects nor their list leaves the state as it was
// applied, with one warning a run. An import of such an object is an error.
func TestUnshown_objectsStayInState(t *testing.T) {
	t.Parallel()
	without := []string{"GET PATH", "GET PATH/{id}"}
	eachOfTheCatalogue(t, sandbox.Options{}, without, func(t *testing.T, s *sandbox.Server, noun string) {
		p, of, warnings := testkit.Serve(t, s, nil), catalogue[noun], 0
		if of.shown {
			return
		}
		objects := []*testkit.Object{created(p, noun, of.first), created(p, noun, of.other)}
		for _, object := range objects {
			said := object.Refresh()
			if failed := testkit.ErrorsIn(said); failed != "" || object.State() == nil {
				t.Errorf("a refresh says %q", failed)
			}
			warnings += len(said)
		}
		expect.Is(t, warnings, 1, "warnings")
		failed := testkit.ErrorsIn(p.Object("einvoice_" + noun).Import("11111111-2222-3333-4444-555555555555"))
		expect.Contains(t, failed, "The service does not have the operation `list_"+noun+"s`")
	})
}

// A list that comes as one bare object says nothing about the others, which stay in state.
func TestUnshown_whatAListOfOneObjectDoesNotShowStaysInState(t *testing.T) {
	t.Parallel()
	without := []string{"GET PATH/{id}", "DELETE PATH/{id}"}
	eachOfTheCatalogue(t, sandbox.Options{}, without, func(t *testing.T, s *sandbox.Server, noun string) {
		p, of := testkit.Serve(t, s, nil), catalogue[noun]
		first, second := created(p, noun, of.other), created(p, noun, of.first)
		shown, err := json.Marshal(s.Objects(of.kind)[0])
		expect.NoError(t, err)
		s.Inject(sandbox.Fault{Method: "GET", Path: of.path, Kind: sandbox.FaultBody, Body: string(shown), Times: -1})
		for _, o := range []*testkit.Object{first, second} {
			before := o.State()
			said := o.Refresh()
			o.MustNotFail(said)
			expect.Same(t, before, o.State(), "the state")
			isWarned := strings.Contains(testkit.TextsOf(said), "The service does not show every "+noun)
			expect.Is(t, isWarned, (o == second), "it says %q", testkit.TextsOf(said))
		}
		change := second.Value(second.Type, of.changed)
		failed := testkit.ErrorsIn(second.Apply(change, second.MustPlan(change)))
		if !strings.Contains(failed, "The service does not have the operation `get_"+noun+"`") || s.Count("PUT", "") != 0 {
			t.Errorf("the update says %q", failed)
		}
		if failed := second.End(); failed != "" {
			t.Error(failed)
		}
	})
}

// Where the list of companies is missing, that is what is named, and not the key.
func TestUnshown_theListOfCompaniesIsNamed(t *testing.T) {
	t.Parallel()
	const want = "`list_companies`"
	s := sandbox.Start(t, sandbox.Options{Without: []string{"GET /v1/companies"}})
	p := testkit.Serve(t, s, map[string]any{"environments": []tftypes.Value{tftypes.NewValue(tftypes.String, "production")}})
	invoice := p.Object("einvoice_invoice_issuance")
	_, said := invoice.Plan(invoice.Value(invoice.Type, map[string]any{
		"model": "serviceInvoice", "integration_id": "s-1", "payload_json": `{}`, "payload_check": false,
	}))
	failed := testkit.ErrorsIn(said)
	if !strings.Contains(failed, want) || !strings.Contains(failed, "`precondition`") || strings.Contains(failed, "api_key") {
		t.Errorf("environments: %s", failed)
	}
	company := p.Object("einvoice_company")
	state, said := company.Create(plainCompany("Padaria", map[string]any{"deletion_protection": false}))
	company.MustNotFail(said)
	settings := p.Object("einvoice_company_settings")
	_, said = settings.Create(map[string]any{"company_id": state["id"]})
	settings.MustNotFail(said)
	s.Remove(sandbox.KindCompanies, state["id"].(string))
	for kind, said := range map[string]string{
		"company": testkit.ErrorsIn(company.Refresh()), "settings": testkit.ErrorsIn(settings.Refresh()),
	} {
		if !strings.Contains(said, want) || strings.Contains(said, "base_url") {
			t.Errorf("%s that is gone: %s", kind, said)
		}
	}
}

// What a configuration does not manage belongs to somebody else, and the service's
// PUT erases what it does not name. A change is made of what the service holds then:
// what somebody else wrote after the refresh and the plan is sent back as it is.

// unmanaged are the fields that the service of these tests knows beyond those that
// have an attribute.
var unmanaged = map[string][]string{
	sandbox.KindCustomers: {"externalCode", "segment"},
	sandbox.KindProducts:  {"ncm", "unit", "weight"},
	sandbox.KindWebhooks:  {"description"},
	sandbox.KindCompanies: {"segment"},
}

// plainCompany are the arguments that a company needs.
func plainCompany(name string, more object) object {
	return with(object{
		"name": name, "legal_name": "Padaria Ltda", "federal_tax_number": "11222333000181",
		"address": object{"city": object{"code": "3550308"}},
	}, more)
}

func TestUpdates_keepWhatIsNotManaged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, resource string
		before, after  map[string]any
		outside, want  map[string]any // fields at the service, as somebody else set them and afterwards
	}{
		"customer": {
			kind: sandbox.KindCustomers, resource: "einvoice_customer",
			before:  map[string]any{"name": "Padaria", "email": "a@b.example", "address": map[string]any{"street": "Rua A", "city": map[string]any{"code": "3550308"}}},
			after:   map[string]any{"name": "Padaria Nova", "address": map[string]any{"street": "Rua B", "city": map[string]any{"code": "3304557"}}},
			outside: map[string]any{"externalCode": "C-1", "segment": map[string]any{"tier": "gold"}},
			want:    map[string]any{"name": "Padaria Nova", "email": nil, "externalCode": "C-1", "segment": map[string]any{"tier": "gold"}},
		},
		"product": {
			kind: sandbox.KindProducts, resource: "einvoice_product",
			before:  map[string]any{"name": "Pão", "code": "P-1", "price": 1.5, "invoice_model": "consumerInvoice"},
			after:   map[string]any{"name": "Pão", "code": "P-1", "price": 2.5},
			outside: map[string]any{"ncm": "19059090", "unit": "UN", "weight": 0.05},
			want:    map[string]any{"price": 2.5, "invoiceModel": nil, "ncm": "19059090", "unit": "UN", "weight": 0.05},
		},
		"product whose extra field is forgotten": {
			kind: sandbox.KindProducts, resource: "einvoice_product",
			before:  map[string]any{"name": "Pão", "code": "P-1", "extra_json": `{"ncm":"19059090","unit":"UN"}`},
			after:   map[string]any{"name": "Bolo", "code": "P-1", "extra_json": `{"unit":"KG"}`},
			outside: map[string]any{"weight": 1},
			want:    map[string]any{"name": "Bolo", "ncm": "19059090", "unit": "KG", "weight": 1},
		},
		"customer of which a part of an extra field is managed": {
			kind: sandbox.KindCustomers, resource: "einvoice_customer",
			before:  map[string]any{"name": "Padaria", "extra_json": `{"segment":{"tier":"gold"}}`},
			after:   map[string]any{"name": "Padaria", "extra_json": `{"segment":{"tier":"silver"}}`},
			outside: map[string]any{"segment": map[string]any{"tier": "gold", "since": 2020}},
			want:    map[string]any{"segment": map[string]any{"tier": "silver", "since": 2020}},
		},
		"webhook": {
			kind: sandbox.KindWebhooks, resource: "einvoice_webhook",
			before:  map[string]any{"event": "invoice.authorized", "url": "https://a.example/"},
			after:   map[string]any{"event": "invoice.authorized", "url": "https://b.example/"},
			outside: map[string]any{"description": "ERP"},
			want:    map[string]any{"url": "https://b.example/", "description": "ERP", "enabled": true},
		},
		"company": {
			kind: sandbox.KindCompanies, resource: "einvoice_company",
			before:  plainCompany("Padaria", nil),
			after:   plainCompany("Padaria Nova", nil),
			outside: map[string]any{"segment": "gold"},
			want:    map[string]any{"name": "Padaria Nova", "segment": "gold"},
		},
	} {
		for options, opts := range map[string]sandbox.Options{"": {}, " that is not read by id": {NoReadByID: true}, " in a wrapper": {WrapResults: true}} {
			t.Run(name+options, func(t *testing.T) {
				t.Parallel()
				opts.ExtraFields = unmanaged
				s := sandbox.Start(t, opts)
				object := testkit.Serve(t, s, nil).Object(tt.resource)
				state, said := object.Create(tt.before)
				object.MustNotFail(said)
				object.MustNotFail(object.Refresh())
				config := object.Value(object.Type, tt.after)
				planned := object.MustPlan(config)
				s.Patch(tt.kind, state["id"].(string), tt.outside)
				object.MustNotFail(object.Apply(config, planned))
				held, _ := s.Object(tt.kind, state["id"].(string))
				for field, want := range tt.want {
					if got := held[field]; fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%s is %v afterwards, want %v", field, got, want)
					}
				}
			})
		}
	}
}

func TestWrites_sayWhatTheServiceDoesNotKeep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		resource  string
		arguments map[string]any
		options   sandbox.Options
		at        string // where it is said
		write     string // what each write says
		cured     map[string]any
	}{
		"product's code in capitals": {
			resource: "einvoice_product", arguments: map[string]any{"name": "PAO", "code": "pão-1"}, options: sandbox.Options{Capitals: true}, at: "code",
			write: `code.*"pão-1".*holds "PAO-1"`,
			cured: map[string]any{"name": "PAO", "code": "PAO-1"},
		},
		"customer's field that the service does not know": {
			resource: "einvoice_customer", arguments: map[string]any{"name": "A", "extra_json": `{"segment":"gold","notes":"vip"}`}, options: sandbox.Options{ExtraFields: unmanaged}, at: "extra_json",
			write: `extra_json\.notes.*"vip".*holds nothing.*may not know the field`,
			cured: map[string]any{"name": "A", "extra_json": `{"segment":"gold"}`},
		},
		"company's field that the service does not know": {
			resource: "einvoice_company", arguments: plainCompany("A", map[string]any{"extra_json": `{"notes":"vip"}`}), at: "extra_json",
			write: `extra_json\.notes.*"vip".*holds nothing`,
			cured: plainCompany("A", nil),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := testkit.Serve(t, sandbox.Start(t, tt.options), nil).Object(tt.resource)
			_, said := object.Create(tt.arguments)
			object.MustNotFail(said)
			wantWarning(t, "the creation", said, tt.at, tt.write)
			config := object.Value(object.Type, tt.arguments)
			for _, run := range []string{"the first plan", "the second plan"} {
				object.MustNotFail(object.Refresh())
				planned, said := object.Plan(config)
				object.MustNotFail(said)
				wantWarning(t, run, said, tt.at, "")
				wantWarning(t, "the update after "+run, object.Apply(config, planned), tt.at, tt.write)
			}
			object.MustNotFail(object.Refresh())
			config = object.Value(object.Type, tt.cured)
			planned, said := object.Plan(config)
			wantWarning(t, "the cured plan", said, tt.at, "")
			wantWarning(t, "the cured apply", object.Apply(config, planned), tt.at, "")
		})
	}
}

// wantWarning checks the only warning; "" wants none.
func wantWarning(t *testing.T, when string, said []*tfprotov6.Diagnostic, at, want string) {
	t.Helper()
	var warnings []string
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			warnings = append(warnings, strings.TrimPrefix(d.Attribute.String(), "AttributeName(")+" "+d.Summary+": "+d.Detail)
		}
	}
	if want == "" && len(warnings) == 0 {
		return
	}
	if want == "" || len(warnings) != 1 || !regexp.MustCompile("(?s)"+at+".*"+want).MatchString(warnings[0]) {
		t.Errorf("%s says %q, want one warning like %q at %s", when, warnings, want, at)
	}
}

// Of a request that the service has processed and answered with a status that reads like a refusal, no second one is
// sent by the next apply.
func TestStatuses_proveNothingOfWhatMustHappenOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 404, 405, 409, 422, 500, 501, 503} {
		for kind, path := range map[string]string{
			"einvoice_invoice_issuance":        fixture.ServiceInvoices,
			"einvoice_order":                   fixture.OrdersPath,
			"einvoice_correction_letter":       fixture.CorrectionsPath,
			"einvoice_webhook_secret_rotation": fixture.RotatePath,
		} {
			t.Run(fmt.Sprint(status, " ", kind), func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, sandbox.Options{})
				arguments := map[string]object{
					"einvoice_invoice_issuance":  serviceInvoice("order-1"),
					"einvoice_order":             nested(unknownValues["einvoice_order"].Arguments),
					"einvoice_correction_letter": {"invoice_id": fixture.AuthorizedNFe(s), "letter": fixture.TestLetter},
				}[kind]
				p := testkit.Serve(t, s, nil)
				s.ResetRequests()
				s.Inject(sandbox.Fault{Method: "POST", Path: path, Kind: sandbox.FaultStatusAfter, Status: status, Form: sandbox.FormEmpty})
				if _, said := p.Object(kind).Create(arguments); testkit.ErrorsIn(said) != "" {
					_, _ = p.Object(kind).Create(arguments)
				}
				fixture.WantRequests(t, s, "POST", path, 1)
			})
		}
	}
}
