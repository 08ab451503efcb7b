package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
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
		if warnings != 1 {
			t.Errorf("%d warnings, want 1", warnings)
		}
		failed := testkit.ErrorsIn(p.Object("einvoice_" + noun).Import("11111111-2222-3333-4444-555555555555"))
		if !strings.Contains(failed, "The service does not have the operation `list_"+noun+"s`") {
			t.Errorf("an import of what is not shown says %q", failed)
		}
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
			if isWarned != (o == second) {
				t.Errorf("it says %q", testkit.TextsOf(said))
			}
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
