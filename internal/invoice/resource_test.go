package invoice_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	kind = "einvoice_invoice_issuance"

	readByID = fixture.ServiceInvoices + "/{id}"
)

// onlyInvoice is the one invoice that exists under order-1.
func onlyInvoice(t *testing.T, s *sandbox.Server) map[string]any {
	t.Helper()
	invoices := s.InvoicesByIntegrationID("order-1")
	if len(invoices) != 1 {
		t.Fatalf("%d invoices under order-1, want 1", len(invoices))
	}
	return invoices[0]
}

// selling is order-1 over an amount.
func selling(amount int, more string) string {
	return strings.Replace(sale("", more), "100", fmt.Sprint(amount), 1)
}

func TestIssuance_onceIssuedNothingIsSentAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(testkit.Step{Arguments: sale("", ""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "authorized"}})
	s.ResetRequests()
	o.Run(
		testkit.Step{Arguments: strings.Replace(sale("", ""), "100}}", "100.00 } }", 1), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: selling(200, ""), Fails: "Cannot change NFS-e 1 .*new `integration_id`"},
		testkit.Step{Arguments: sale("", "issue = false"), Fails: "Cannot turn an issued invoice into a draft"},
		testkit.Step{Arguments: sale("", "accept_contingency = true\ntimeouts = { create = \"5m\" }"), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"accept_contingency": true}},
	)
	fixture.WantWrites(t, s, 0)
}

func TestIssuance_draftIsIssuedInPlace(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: selling(100, "issue = false"), State: map[string]any{"status": "created", "number": nil}},
		testkit.Step{Arguments: selling(120, "issue = false"), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "created", "amount": 120.0}},
		testkit.Step{Arguments: selling(120, ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "authorized"}},
	)
	fixture.WantRequests(t, s, "POST", readByID+"/issue", 1)
	onlyInvoice(t, s)
}

// A 404 alone proves nothing: it may come from a proxy, or from a wrong address.
func TestIssuance_staysInStateUntilItsAbsenceIsProven(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Draft, Removed bool
		NotFound       []string // paths that answer 404
		Times          int
		Fails          string
		Plans          plancheck.ResourceActionType
		Status         any
	}](t, "issuance_stays_in_state_until_its_absence_is_proven.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, map[string]any{"request_timeout": "10s", "max_retries": 0}).Object(kind)
			arguments := sale("", fmt.Sprintf("issue = %t", !test.Draft))
			before := func() {
				for _, path := range test.NotFound {
					s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: path, Status: 404, Times: test.Times})
				}
				if test.Removed {
					s.Remove(sandbox.KindServiceInvoices, fmt.Sprint(o.State()["id"]))
				}
			}
			o.Run(
				testkit.Step{Arguments: arguments},
				testkit.Step{Before: before, Arguments: arguments, PlanOnly: true, Fails: test.Fails, Plans: test.Plans, State: map[string]any{"status": test.Status}},
			)
		})
	}
}

// A read without a status would plan to follow the invoice again and again.
func TestIssuance_aReadWithoutAStatusKeepsIt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: sale("", "")},
		testkit.Step{Before: func() {
			s.Inject(sandbox.Fault{
				Kind: sandbox.FaultBody, Method: "GET", Path: "/v1/service-invoices/{id}", Times: -1,
				Body: fmt.Sprintf(`{"id": %q, "integrationId": "order-1", "number": 1, "amount": 100}`, o.State()["id"]),
			})
		}, Arguments: sale("", ""), PlanOnly: true, Plans: plancheck.ResourceActionNoop, State: map[string]any{"status": "authorized"}},
	)
}

func TestIssuance_contingencyIsWaitedOutUnlessAccepted(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "secret-csc", "allowOfflineContingency": true, "environmentType": "development"}})
	s.ScriptInvoice("order-1", sandbox.Contingency(sandbox.Authorize().OnlyByCheck()))
	with := func(accept bool) string {
		return fmt.Sprintf("model = \"consumerInvoice\"\nintegration_id = \"order-1\"\naccept_contingency = %t\npayload_json = %q", accept, fixture.ConsumerPayload)
	}
	const byID = "/v1/consumer-invoices/{id}"
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: with(true), State: map[string]any{"status": "inContingent"}},
		testkit.Step{Before: func() {
			s.Before("GET", byID, func() { // The refresh, and then the wait.
				s.Before("GET", byID, func() { s.SetInvoiceStatus(fmt.Sprint(onlyInvoice(t, s)["id"]), "authorized") })
			})
		}, Arguments: with(false), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "authorized"}},
	)
}

func TestIssuance_refusesWrongValuesInPlan(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, kind, "issuance_refuses_wrong_values_in_plan.json")
}

// A service may issue what was to be a draft. The person hears of the invoice at once,
// and goes on with it.
func TestIssuance_issueFalseThatIsIssuedIsAnErrorAndIsTakenOver(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{QueueDrafts: true})
	o := testkit.Serve(t, s, nil).Object(kind)
	wanted := map[string]any{"model": "productInvoice", "integration_id": "order-1", "payload_json": fixture.ProductPayload}
	draft := maps.Clone(wanted)
	draft["issue"] = false
	for range 2 { // The second run finds what the first one made.
		state, said := o.Create(draft)
		held := s.Invoices("")
		if len(held) != 1 {
			t.Fatalf("the service holds %d invoices, want 1", len(held))
		}
		texts := testkit.ErrorsIn(said)
		if !strings.Contains(texts, "Not a draft: ") || !strings.Contains(texts, fmt.Sprint(held[0]["id"])) {
			t.Errorf("the error does not name the invoice: %s", texts)
		}
		if state != nil {
			t.Errorf("the state has %v", state)
		}
	}
	if state, said := o.Create(wanted); state["status"] != "authorized" {
		t.Errorf("it is not taken over: %v %v", state, said)
	}
	fixture.WantRequests(t, s, "POST", "/v1/{model}", 1)
}

func TestIssuance_refreshWarnsOfASecondValidInvoice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true})
	o := testkit.Serve(t, s, nil).Object(kind)
	first, _ := o.Create(saleArguments("order-1", nil))
	second := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "status": "authorized", "amount": 100})
	s.ResetRequests()
	said := testkit.TextsOf(o.Refresh())
	for _, want := range []string{"A second valid invoice beside NFS-e", fmt.Sprint(first["id"]), second} {
		expect.Contains(t, said, want)
	}
	if n := len(s.Requests()); n > 2 {
		t.Errorf("the refresh made %d requests, want at most 2", n)
	}
}

const consumerInvoices = "/v1/consumer-invoices"

// nfce is an NFC-e in a configuration.
func nfce(more string) string {
	return fmt.Sprintf("model = \"consumerInvoice\"\nintegration_id = \"order-1\"\npayload_json = %q\n%s", fixture.ConsumerPayload, more)
}

// unlisting is a service that has only what the interface shows or names, which is no list
// of consumer invoices.
func unlisting(t *testing.T, options sandbox.Options) (*sandbox.Server, *testkit.Object) {
	t.Helper()
	options.OnlySpecified, options.NoMergeByIntegrationID = true, true
	s := sandbox.Start(t, options)
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"}})
	return s, testkit.Serve(t, s, nil).Object(kind)
}

func TestUnlisted_isIssuedOnceAndFollowedByItsID(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	o.Run(
		testkit.Step{Arguments: nfce(""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "authorized"}},
		testkit.Step{Arguments: nfce(""), Plans: plancheck.ResourceActionNoop},
	)
	o.Forget()
	// The journal knows it by its id.
	o.Run(testkit.Step{Arguments: nfce(""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "authorized"}})
	fixture.WantRequests(t, s, "POST", consumerInvoices, 1)
}

func TestUnlisted_warnsOnceARun(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	warnings := 0
	for n := range 2 {
		other := *o
		_, said := other.Create(map[string]any{"model": "consumerInvoice", "integration_id": fmt.Sprint("order-", n), "payload_json": fixture.ConsumerPayload})
		warnings += strings.Count(testkit.TextsOf(said), "The service does not list NFC-e")
	}
	expect.Is(t, warnings, 1, "warnings")
	fixture.WantRequests(t, s, "POST", consumerInvoices, 2)
	fixture.WantRequests(t, s, "GET", "/v1/customers", 1)
}

func TestUnlisted_afterALostAnswerItIsImported(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: consumerInvoices})
	const fails = `It is not known whether this exists: NFC-e \(order-1\).*back office.*import it by .*consumerInvoice/ID`
	o.Run(testkit.Step{Arguments: nfce(""), Fails: "(?s)" + fails + ".*remove its record"})
	id := fmt.Sprint(s.Invoices("")[0]["id"])
	o.MustNotFail(o.Import("consumerInvoice/" + id))
	o.Run(testkit.Step{Arguments: nfce(""), State: map[string]any{"status": "authorized", "id": id}})
	fixture.WantRequests(t, s, "POST", consumerInvoices, 1)
}

// No message promises a look that the service does not offer.
func TestUnlisted_aRefusalDoesNotPromiseALookUp(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "POST", Path: consumerInvoices, Status: http.StatusTooManyRequests,
		Header: http.Header{"Retry-After": {"600"}},
	})
	_, said := o.Create(o.Arguments(nfce("")))
	if failed := testkit.ErrorsIn(said); !strings.Contains(failed, "is safe: the journal knows what was sent") || strings.Contains(failed, "looked up") {
		t.Errorf("it says %q", failed)
	}
}

// Without the list that the interface names nothing is issued.
func TestUnlisted_aListThatIsNamedIsNamedInTheError(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{Without: []string{"GET " + fixture.ServiceInvoices}})
	testkit.Serve(t, s, nil).Object(kind).Run(
		testkit.Step{Arguments: sale("", ""), Fails: "(?s)Cannot look up invoice.*does not have the operation .list_invoices. .*operations = { list_invoices"},
	)
	fixture.WantRequests(t, s, "POST", "", 0)
}

// A wrong address answers 404 to everything.
func TestUnlisted_aWrongAddressProvesNothing(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Status: http.StatusNotFound, Times: -1})
	o.Run(testkit.Step{Arguments: nfce(""), Fails: "(?s)Cannot look up invoice.*base_url"})
	fixture.WantRequests(t, s, "POST", consumerInvoices, 0)
}

// What ends a run from outside, and what several processes do at once. Lost
// answers and lists that lag are cases of the engine and of the fault matrix.

// late is the service on which it is hardest to issue once: a second POST makes a
// second invoice, and a new one shows in no list until the clock is moved.
func late(t *testing.T) (*sandbox.Server, *sandbox.ManualClock) {
	t.Helper()
	clock := sandbox.NewManualClock(time.Now())
	return sandbox.Start(t, sandbox.Options{Clock: clock, NoMergeByIntegrationID: true, ListLag: time.Hour}), clock
}

func wantSentOnce(t *testing.T, s *sandbox.Server) {
	t.Helper()
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 1)
	expect.Is(t, onlyInvoice(t, s)["status"], "authorized", "the invoice")
}

// The next run looks for as long as requests may take, and finds the invoice at its
// second look.
func TestAccIssuance_killedInThePostIssuesOnce(t *testing.T) {
	t.Parallel()
	s, clock := late(t)
	w := testkit.NewWorkspace(t, testkit.OnceConfig(s, ""), "")
	w.Edit("main.tf", "provider \"einvoice\" {", "provider \"einvoice\" {\n  request_timeout = \"10m\"")
	testkit.KilledDuring(t, w, s, "POST", fixture.ServiceInvoices)
	s.Before("GET", fixture.ServiceInvoices, func() {
		s.Before("GET", fixture.ServiceInvoices, func() { clock.Advance(2 * time.Hour) })
	})
	w.MustApply()
	wantSentOnce(t, s)
}

func TestAccIssuance_interruptEndsAWaitAndTheNextRunGoesOn(t *testing.T) {
	t.Parallel()
	clock := sandbox.NewManualClock(time.Now())
	s := sandbox.Start(t, sandbox.Options{Clock: clock, AuthorizeAfter: time.Hour})
	w := testkit.NewWorkspace(t, testkit.OnceConfig(s, ""), "")
	output := testkit.EndedDuring(t, w, s, "GET", readByID, syscall.SIGTERM)
	expect.Contains(t, output, "Interrupted while issuing NFS-e (order-1)")
	clock.Advance(2 * time.Hour)
	w.MustApply()
	wantSentOnce(t, s)
}

// The invoice is the one that an apply would go on with.
func TestIssuance_importsByIntegrationID(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	branch, key := fixture.Company(s, fixture.BranchNumber)
	for _, doc := range rows.Read[[]map[string]any](t, "imported_invoices.json") {
		if doc["amount"] = 100; doc["_company"] == "branch" {
			doc["_company"] = branch
		}
		s.Seed(sandbox.KindServiceInvoices, doc)
	}
	imports := rows.Read[map[string]map[string]string](t, "invoice_imports.json")
	p := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: key}))
	testkit.WantImports(t, p, s, kind, imports["found"], imports["refused"])
}

// What an import shows is a configuration that plans nothing, and gives way to the
// payload itself, once.
func TestIssuance_anImportPlansNothingAndTakesThePayload(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindServiceInvoices, map[string]any{
		"integrationId": "order-1", "amount": 100, "description": "Consulting", "receiver": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725"},
	})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.MustNotFail(o.Import("serviceInvoice/integration_id=order-1"))
	shown := fmt.Sprint(o.State()["payload_json"])
	if want := `{"description":"Consulting","receiver":{"name":"Maria","federalTaxNumber":"52998224725"},"total":{"invoiceAmount":100}}`; !jsontree.SameText(shown, want) {
		t.Fatalf("the payload is %s, want %s", shown, want)
	}
	with := func(payload, more string) string {
		return fmt.Sprintf("model = \"serviceInvoice\"\nintegration_id = \"order-1\"\npayload_json = %q\n%s", payload, more)
	}
	const whole = `{"description":"Consulting","federalServiceCode":"17.01","receiver":{"federalTaxNumber":"529.982.247-25"},"total":{"invoiceAmount":100}}`
	o.Run(
		testkit.Step{Arguments: with(shown, ""), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: strings.Replace(with(shown, ""), "order-1", "order-2", 1), Fails: "Imported invoice does not match the configuration"},
		testkit.Step{Arguments: strings.Replace(with(shown, ""), "serviceInvoice", "productInvoice", 1), Fails: "Imported invoice does not match the configuration.*model: productInvoice"},
		testkit.Step{Arguments: with(shown, `cancellation_reason = "Issued twice by mistake"`), Plans: plancheck.ResourceActionUpdate},
		testkit.Step{Arguments: with(strings.Replace(whole, "100", "101", 1), ""), Fails: "Imported invoice does not match the configuration.*101.*100"},
		testkit.Step{Arguments: with(whole, ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"payload_json": whole, "status": "authorized"}},
		testkit.Step{Arguments: with(shown, ""), Fails: "Cannot change"},
		testkit.Step{Arguments: with(strings.Replace(whole, "Consulting", "Advice", 1), ""), Fails: "Cannot change"},
	)
	fixture.WantWrites(t, s, 0)
}

// An invoice that is imported while the authority has it is waited for.
func TestIssuance_anImportInProgressIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "amount": 100, "status": "enqueued"})
	o := testkit.Serve(t, s, nil).Object(kind)
	s.Inject(sandbox.Fault{Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Kind: sandbox.FaultStatus, Status: 403})
	expect.Contains(t, testkit.ErrorsIn(o.Import("serviceInvoice/"+id)), "Cannot read NFS-e ("+id+")")
	o.MustNotFail(o.Import("serviceInvoice/" + id))
	config := o.Value(o.Type, saleArguments("order-1", nil))
	planned := o.MustPlan(config)
	s.SetInvoiceStatus(id, "authorized")
	o.MustNotFail(o.Apply(config, planned))
	expect.Is(t, o.State()["status"], "authorized", "the status")
	fixture.WantWrites(t, s, 0)
}

// actionRow is a row of a table: what has become of an NF-e, and what an action then does.
type actionRow struct {
	Row, Status      string
	Script           []sandbox.Outcome
	Fault            *sandbox.Fault
	Detail           map[string]any // of its processing
	AuthorizedBefore []string       // the last of these requests

	Last, Error, Warnings, Left string
	Deletes, Again, Checks      int // Deletes and Again are of the first and of a second invocation.
}

func (row actionRow) prepare(s *sandbox.Server) (id string) {
	id = fixture.NFe(s, row.Status)
	s.ScriptInvoice("sale-1", row.Script...)
	if row.Fault != nil {
		s.Inject(*row.Fault)
	}
	if row.Detail != nil {
		s.Patch(sandbox.KindProductInvoices, id, map[string]any{"processingDetail": row.Detail})
	}
	happens := func() { s.SetInvoiceStatus(id, "authorized") }
	for _, request := range slices.Backward(row.AuthorizedBefore) {
		method, path, _ := strings.Cut(request, " ")
		then := happens
		happens = func() { s.Before(method, path, then) }
	}
	if row.AuthorizedBefore != nil {
		happens()
	}
	return id
}

func TestInvoiceCancelAction(t *testing.T) {
	t.Parallel()
	const path = "/v1/product-invoices/{id}"
	for _, row := range rows.Read[[]actionRow](t, "invoice_cancel_action.json") {
		rows.Case(t, row.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			id := row.prepare(s)
			p := testkit.Serve(t, s, nil)
			arguments := map[string]any{"model": "productInvoice", "id": id, "reason": "Pedido cancelado pelo cliente."}
			p.Invoke("einvoice_invoice_cancel", arguments).Expect(t, row.Last, row.Error, "")
			fixture.WantRequests(t, s, "DELETE", path, row.Deletes)
			p.Invoke("einvoice_invoice_cancel", arguments)
			expect.Is(t, s.Count("DELETE", path)-row.Deletes, row.Again, "invoked again it sent cancellations")
			if held, _ := s.Object(sandbox.KindProductInvoices, id); held["status"] != row.Left {
				t.Errorf("the invoice is %v, want %s", held["status"], row.Left)
			}
		})
	}
}

func TestInvoiceCheckStatusAction(t *testing.T) {
	t.Parallel()
	for _, row := range rows.Read[[]actionRow](t, "invoice_check_status_action.json") {
		rows.Case(t, row.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			arguments := map[string]any{"model": "productInvoice", "id": row.prepare(s)}
			p := testkit.Serve(t, s, nil)
			p.Invoke("einvoice_invoice_check_status", arguments).Expect(t, row.Last, row.Error, row.Warnings)
			fixture.WantRequests(t, s, "POST", "/v1/product-invoices/{id}/check-status", row.Checks)
		})
	}
}

// A provider that dies in an update leaves a state without its notes. What it has sent is known all the same, however
// late the next run is.
func TestIssuance_providerThatDiedWhileItIssuedADraft(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(*testkit.Object){"interrupted": func(*testkit.Object) {}, "died": (*testkit.Object).Crash} {
		for late, pause := range map[string]time.Duration{"at once": 0, "an hour later": time.Hour} {
			rows.Case(t, name+" "+late, func(t *testing.T) {
				testkit.OnClock(t, sandbox.Options{}, func(t *testing.T, s *testkit.Clocked) {
					o := s.Process(nil).Object(kind)
					arguments := saleArguments("sale-1", nil)
					arguments["issue"] = false
					o.MustCreate(arguments)
					arguments["issue"], arguments["timeouts"] = true, map[string]any{"update": "1s"}
					arguments["payload_json"] = strings.Replace(arguments["payload_json"].(string), "Consulting", "Advice", 1)
					s.Inject(sandbox.Fault{Kind: sandbox.FaultStall, Method: "POST", Path: fixture.ServiceInvoices})
					config := o.Value(o.Type, arguments)
					wantRefusal(t, o.Apply(config, o.MustPlan(config)), "Interrupted while issuing")
					crash(o)
					<-time.After(pause)
					o.Protocol, arguments["timeouts"] = s.Process(nil), nil
					o.MustNotFail(o.Refresh())
					config = o.Value(o.Type, arguments)
					o.MustNotFail(o.Apply(config, o.MustPlan(config)))
					expect.Is[any](t, o.State()["status"], "authorized", "the status")
					expect.Is(t, o.Action(o.MustPlan(config)), plancheck.ResourceActionNoop, "the next plan")
					fixture.WantRequests(t, s.Server, "POST", fixture.ServiceInvoices, 2)
				})
			})
		}
	}
}
