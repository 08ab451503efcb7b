package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestUnshown_aCreationThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{Without: []string{"POST /v1/products"}})
	_, said := testkit.Serve(t, s, nil).Object("einvoice_product").Create(map[string]any{"name": "Pão", "code": "P-1", "price": 1.5})
	if failed := testkit.ErrorsIn(said); !strings.Contains(failed, "`create_product`") {
		t.Errorf("it says %q", failed)
	}
}

// A service that shows neither single objects nor their list leaves the state as it was
// applied, with one warning a run. An import of such an object is an error.
func TestUnshown_objectsStayInState(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		arguments map[string]any
		without   []string
	}{
		"einvoice_webhook": {map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/in"}, []string{"GET /v1/webhooks", "GET /v1/webhooks/{id}"}},
		"einvoice_product": {map[string]any{"name": "Pão", "code": "P-1", "price": 1.5}, []string{"GET /v1/products", "GET /v1/products/{id}"}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{Without: test.without})
			p := testkit.Serve(t, s, nil)
			first, second := p.Object(kind), p.Object(kind)
			for _, object := range []*testkit.Object{first, second} {
				if _, said := object.Create(test.arguments); testkit.ErrorsIn(said) != "" {
					t.Fatal(testkit.ErrorsIn(said))
				}
				test.arguments["code"], test.arguments["name"] = "P-2", "Bolo"
				if kind == "einvoice_webhook" {
					test.arguments = map[string]any{"event": "invoice.rejected", "url": "https://hooks.example/in"}
				}
			}
			warnings := 0
			for _, object := range []*testkit.Object{first, second} {
				said := object.Refresh()
				if failed := testkit.ErrorsIn(said); failed != "" || object.State() == nil {
					t.Errorf("a refresh says %q", failed)
				}
				warnings += len(said)
			}
			if warnings != 1 {
				t.Errorf("%d warnings, want 1", warnings)
			}
			failed := testkit.ErrorsIn(p.Object(kind).Import("11111111-2222-3333-4444-555555555555"))
			if !strings.Contains(failed, "none can be imported") || !strings.Contains(failed, "Delete it in the back office") {
				t.Errorf("an import of what is not shown says %q", failed)
			}
		})
	}
}

// A creation whose answer is lost, and that no list can show, is sent once.
func TestUnshown_aLostCreationNamesItsRecord(t *testing.T) {
	t.Parallel()
	for path, test := range map[string]struct {
		kind      string
		arguments map[string]any
		list      string
	}{
		"/v1/webhooks":  {"einvoice_webhook", map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/in"}, "`list_webhooks`"},
		"/v1/products":  {"einvoice_product", map[string]any{"name": "Pão", "code": "P-1"}, "`list_products`"},
		"/v1/companies": {"einvoice_company", plainCompany("Padaria", map[string]any{"deletion_protection": false}), "`list_companies`"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{Without: []string{"GET " + path}})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: path})
			_, said := testkit.Serve(t, s, nil).Object(test.kind).Create(test.arguments)
			for _, want := range []string{"It is not known whether this exists", "import it by its id", "/once/creation-", test.list} {
				if failed := testkit.ErrorsIn(said); !strings.Contains(failed, want) {
					t.Errorf("it does not say %q: %s", want, failed)
				}
			}
			if says := strings.Contains(testkit.ErrorsIn(said), "The import needs `get_"); says != (test.kind != "einvoice_company") {
				t.Errorf("it says what an import needs: %t", says)
			}
			if n := s.Count("POST", path); n != 1 {
				t.Errorf("%d creations were sent", n)
			}
		})
	}
}

// A list that lags is no proof against what was made a moment ago. A read by id is.
func TestUnshown_aNewObjectIsNotGoneWhileItsListLags(t *testing.T) {
	t.Parallel()
	for kind, arguments := range map[string]map[string]any{
		"einvoice_customer": {"name": "Maria"},
		"einvoice_product":  {"name": "Pão", "code": "P-1"},
		"einvoice_webhook":  {"event": "invoice.authorized", "url": "https://hooks.example/in"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{NoReadByID: true, ListLag: time.Hour})
			o := testkit.Serve(t, s, nil).Object(kind)
			_, said := o.Create(arguments)
			o.MustNotFail(said)
			for range 2 {
				o.MustNotFail(o.Refresh())
				if o.State() == nil {
					t.Fatal("a refresh takes it for gone")
				}
			}
		})
	}
	t.Run("which a read by id proves", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{})
		s.Seed(sandbox.KindCustomers, map[string]any{"name": "Ana"})
		o := testkit.Serve(t, s, nil).Object("einvoice_customer")
		state, said := o.Create(map[string]any{"name": "Maria"})
		o.MustNotFail(said)
		s.Remove(sandbox.KindCustomers, state["id"].(string))
		if o.MustNotFail(o.Refresh()); o.State() != nil {
			t.Error("it stays in state")
		}
	})
}

// A list that lags shows the object as it was before a change. The plan after the change is empty.
func TestUnshown_aChangeIsKeptWhileTheListLags(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		of           string
		held         map[string]any
		first, again map[string]any
	}{
		"einvoice_customer": {
			of: sandbox.KindCustomers, held: map[string]any{"name": "Maria"},
			first: map[string]any{"name": "Maria"}, again: map[string]any{"name": "Ana"},
		},
		"einvoice_product": {
			of: sandbox.KindProducts, held: map[string]any{"name": "Pão", "code": "P-1"},
			first: map[string]any{"name": "Pão", "code": "P-1"}, again: map[string]any{"name": "Bolo", "code": "P-1"},
		},
		"einvoice_webhook": {
			of: sandbox.KindWebhooks, held: map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/in", "enabled": true},
			first: map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/in"},
			again: map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/other", "enabled": false},
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{NoReadByID: true, ListLag: time.Hour})
			p := testkit.Serve(t, s, nil)
			o := p.Object(kind)
			o.MustNotFail(o.Import(s.Seed(test.of, test.held)))
			plans := func(arguments map[string]any) plancheck.ResourceActionType {
				t.Helper()
				o.MustNotFail(o.Refresh())
				return o.Action(o.MustPlan(o.Value(o.Type, arguments)))
			}
			if action := plans(test.first); action != plancheck.ResourceActionNoop {
				t.Fatalf("the first plan is %s", action)
			}
			_, said := o.Create(test.again) // An update of what is in state.
			o.MustNotFail(said)
			if action := plans(test.again); action != plancheck.ResourceActionNoop {
				t.Errorf("the plan after the change is %s", action)
			}
			if action := plans(test.first); action != plancheck.ResourceActionUpdate {
				t.Errorf("the plan of the former arguments is %s", action)
			}
		})
	}
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

// What a service without updates or deletions says of each kind of object.
func TestMissingOperations_areNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, path    string
		before, after map[string]any
		line          string // of operations, for an update
		stays         bool   // it is not destroyed
	}{
		"product": {
			kind: "einvoice_product", path: "/v1/products/{id}", line: `operations = { update_product = "METHOD /v1/PATH" }`,
			before: map[string]any{"name": "Broa", "code": "B-1"}, after: map[string]any{"name": "Pão", "code": "B-1"},
		},
		"webhook": {
			kind: "einvoice_webhook", path: "/v1/webhooks/{id}", line: `operations = { update_webhook = "METHOD /v1/PATH" }`,
			before: map[string]any{"event": "invoice.authorized", "url": "https://erp.example.com/a"},
			after:  map[string]any{"event": "invoice.authorized", "url": "https://erp.example.com/b"},
		},
		"company": {
			kind: "einvoice_company", path: "/v1/companies/{id}", line: `operations = { update_company = "METHOD /v1/PATH" }`,
			before: plainCompany("Padaria", nil), after: plainCompany("Confeitaria", nil), stays: true,
		},
		"customer": {kind: "einvoice_customer", path: "/v1/customers/{id}", before: map[string]any{"name": "Maria"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{Without: []string{"DELETE " + test.path, "PUT " + test.path}})
			o := testkit.Serve(t, s, nil).Object(test.kind)
			state, said := o.Create(test.before)
			if state == nil {
				t.Fatal(testkit.TextsOf(said))
			}
			if test.after != nil {
				if _, said := o.Create(test.after); !strings.Contains(testkit.ErrorsIn(said), test.line) {
					t.Errorf("the error of the update does not name the line: %s", testkit.TextsOf(said))
				}
			}
			if test.stays {
				return
			}
			planned, _ := o.PlanDestroy()
			if said := testkit.TextsOf(o.Destroy(planned)); !strings.Contains(said, "only removed from state") || o.State() != nil {
				t.Errorf("the destroy says %q and leaves %v", said, o.State())
			}
		})
	}
}

func TestMissingOperations_aDestroyNamesTheCancellationAndKeepsTheInvoice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{CancelByPost: true})
	o := testkit.Serve(t, s, nil).Object("einvoice_invoice_issuance")
	state, said := o.Create(map[string]any{
		"model": "serviceInvoice", "integration_id": "sale-1", "cancellation_reason": "Venda desfeita pelo cliente",
		"payload_json": `{"description":"Consultoria","federalServiceCode":"17.01","total":{"invoiceAmount":10}}`,
	})
	if state == nil {
		t.Fatal(testkit.TextsOf(said))
	}
	errors := o.End()
	if !strings.Contains(errors, `operations = { cancel_invoice = "METHOD /v1/PATH" }`) || !strings.Contains(errors, "{model}") {
		t.Errorf("the error does not name the line: %s", errors)
	}
	if o.State() == nil {
		t.Error("the invoice is not in state any more")
	}
}
