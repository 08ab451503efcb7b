package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// outcome is what a run came to.
type outcome struct {
	report report
	exit   int
	out    string // of both streams and the file
}

func (o outcome) operation(name string) (found operationResult) {
	for _, result := range o.report.Operations {
		if result.Name == name {
			found = result
		}
	}
	return found
}

func (o outcome) assumption(id string) (found assumptionResult) {
	for _, result := range o.report.Assumptions {
		if result.ID == id {
			found = result
		}
	}
	return found
}

// started is a service whose time moves while somebody waits, and a check of it.
func started(t *testing.T, options sandbox.Options) (*sandbox.Server, poll.Clock, *check) {
	t.Helper()
	service, clock := fixture.OnManualClock(t, options)
	c, err := newCheck(einvoice.Config{BaseURL: service.BaseURL(), APIKey: service.OwnerKey()})
	expect.NoError(t, err)
	c.now, c.pause = clock.Now, clock.Pause
	return service, clock, c
}

// A draft that stays after its deletion is named, and not waited for as for an authority.
func TestCheck_namesDraftsThatStay(t *testing.T) {
	t.Parallel()
	service, clock, c := started(t, sandbox.Options{})
	service.Inject(sandbox.Fault{
		Method: "DELETE", Path: fixture.ServiceInvoices + "/{id}", Kind: sandbox.FaultStatus, Status: 200, Body: `{}`, Times: -1,
	})
	for _, name := range []string{"draft-1", "draft-2", "draft-3"} {
		s := &sale{check: c, model: "service", name: name}
		expect.NoError(t, json.Unmarshal([]byte(servicePayload), &s.body))
		s.body["integrationId"] = name
		if a := s.post(t.Context(), object{"issue": false}); !a.ok() {
			t.Fatal(a.err)
		}
	}
	began := clock.Now()
	c.cleanUp(t.Context())
	if took := clock.Now().Sub(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	if got := strings.Join(c.left, "\n"); strings.Count(got, "a draft that its deletion has not removed") != 3 {
		t.Errorf("left are %q", got)
	}
}

func finished(ctx context.Context, t *testing.T, c *check) outcome {
	t.Helper()
	var out bytes.Buffer
	file := filepath.Join(t.TempDir(), "found.json")
	c.progress = &out
	o := outcome{exit: c.finish(ctx, file, &out, &out)}
	written, err := os.ReadFile(file)
	if err == nil {
		expect.NoError(t, json.Unmarshal(written, &o.report))
	}
	o.out = out.String() + string(written)
	return o
}

// wants compares what a run saw of an operation or an assumption.
func (o outcome) wants(t *testing.T, about, verdict, seen string) {
	t.Helper()
	operation, assumption := o.operation(about), o.assumption(about)
	got := operation.Verdict + assumption.Verdict + ": " + operation.Note + assumption.Seen
	if !strings.HasPrefix(got, verdict+": ") || !strings.Contains(got, seen) {
		t.Errorf("of %s was seen %q, want %s: %q\n%s", about, got, verdict, seen, o.out)
	}
}

func settingsOf(s *sandbox.Server) string { return "/v1/companies/" + s.OwnerCompanyID() + "/settings" }

// wantSettings checks that the settings are as before.
func wantSettings(t *testing.T, s *sandbox.Server, before []byte) {
	t.Helper()
	after := s.SettingsJSON(s.OwnerCompanyID())
	for _, block := range settingsBlocks {
		if lost := changedFields(blocksIn(before)[block], blocksIn(after)[block]); len(lost) > 0 {
			t.Errorf("%s lost %v", block, lost)
		}
	}
}

// wantNothingLeft checks that what was made is removed, canceled or was rejected.
func wantNothingLeft(t *testing.T, s *sandbox.Server) {
	t.Helper()
	for _, kind := range []string{sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks} {
		if left := s.Objects(kind); len(left) > 0 {
			t.Errorf("%s are left: %v", kind, left)
		}
	}
	for _, order := range s.Objects(sandbox.KindOrders) {
		expect.Is(t, order["status"], "canceled", "an order is left")
	}
	for _, invoice := range s.Invoices("") {
		if status := invoice["status"]; status != "canceled" && status != "rejected" && status != "removed" {
			t.Errorf("a %v is left, %v", invoice["model"], status)
		}
	}
}

func TestCheck_aServiceAsItIsAssumedFits(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), withCSC)
	before := s.SettingsJSON(s.OwnerCompanyID())
	o := finished(t.Context(), t, c)
	if o.exit != exitFits || !strings.Contains(o.out, "None were found.") {
		t.Errorf("it exits with %d:\n%s", o.exit, o.out)
	}
	if len(o.report.Operations) != len(everyQuestion()) || len(o.report.Assumptions) != len(assumptions) {
		t.Errorf("the report has %d operations and %d assumptions", len(o.report.Operations), len(o.report.Assumptions))
	}
	for _, operation := range o.report.Operations {
		if operation.Verdict == missing || operation.Verdict == refused {
			t.Errorf("%+v", operation)
		}
	}
	if n := int64(len(s.Requests())); o.report.Requests != n {
		t.Errorf("%d requests are told of, and %d were sent", o.report.Requests, n)
	}
	for _, model := range einvoice.Models {
		expect.Is(t, len(s.Invoices(model)), 1, "invoices of the model %s were made", model)
	}
	if n := s.Count("POST", "/v1/companies") + s.Count("POST", fixture.RotatePath) + s.Count("POST", "/v1/inbound-product-invoices/sync"); n > 0 {
		t.Errorf("%d requests were sent that change the account", n)
	}
	wantSettings(t, s, before)
	wantNothingLeft(t, s)
	for _, secret := range []string{s.OwnerKey(), s.WebhookSecret(), fixture.MainNumber, testCSC} {
		if strings.Contains(o.out, secret) {
			t.Errorf("the output shows %s", secret)
		}
	}
}

func TestCheck_readOnlySendsGETAlone(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	fixture.AuthorizedNFe(s)
	c.readOnly = true
	o := finished(t.Context(), t, c)
	if n := len(s.Requests()); o.exit != exitFits || n == 0 || s.Count("GET", "") != n {
		t.Errorf("it exits with %d after %d requests, %d of them GET:\n%s", o.exit, n, s.Count("GET", ""), o.out)
	}
	o.wants(t, "create_customer", notTried, "")
	o.wants(t, "get_product_invoice", answers, "")
}

func TestCheck_aModelInProductionIsNotIssued(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": "production"}})
	o := finished(t.Context(), t, c)
	if o.exit != exitUnusual || !strings.Contains(o.out, "No service invoice was issued") {
		t.Errorf("it exits with %d:\n%s", o.exit, o.out)
	}
	if n := s.Count("POST", fixture.ServiceInvoices) + s.Count("POST", fixture.OrdersPath); n > 0 {
		t.Errorf("%d service invoices and orders were sent", n)
	}
	if n := s.Count("PUT", settingsOf(s)); n > 0 {
		t.Errorf("the settings were written %d times", n)
	}
	if len(s.Invoices(einvoice.ModelProduct)) != 1 {
		t.Error("no product invoice was issued, which is in development")
	}
}

func TestCheck_stopsWhenAnInvoiceIsInProductionAgainstTheSettings(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	s.Before("POST", fixture.ServiceInvoices, func() {
		s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": "production"}})
	})
	o := finished(t.Context(), t, c)
	if invoices := s.Invoices(""); o.exit != exitUnusual || len(invoices) != 1 || invoices[0]["status"] != "removed" {
		t.Errorf("it exits with %d, and the invoices are %v", o.exit, invoices)
	}
}

func TestCheck_tellsWhatIsMissingFromWhatCannotBeTold(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{Without: []string{"POST /v1/inbound-product-invoices/{id}/manifest"}})
	o := finished(t.Context(), t, c)
	o.wants(t, "manifest_inbound_invoice", missing, "")
	o.wants(t, "issue_consumer_invoice", answers, "")
	for _, entry := range []string{"manifest_inbound_invoice", "issue_consumer_invoice"} {
		expect.Is(t, o.operation(entry).Status, http.StatusNotFound, "%s is answered", entry)
	}

	_, _, c = started(t, sandbox.Options{})
	c.noSuchID, c.noSuchPath = "404", "404"
	c.rest(t.Context())
	if got := c.operations["manifest_inbound_invoice"]; got.Verdict != notTried || got.Status != 404 || got.Note == "" {
		t.Errorf("%+v", got)
	}
	wantNothingLeft(t, s)
}

func TestCheck_cancelsWhatAnOrderIssuesAgainstItsMode(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	s.Before("GET", fixture.OrderPath, func() {
		order := s.Objects(sandbox.KindOrders)[0]
		s.Seed(sandbox.KindProductInvoices, map[string]any{"status": "authorized", "order": order})
	})
	o := finished(t.Context(), t, c)
	o.wants(t, "order_fields", differs, "has an invoice")
	expect.Is(t, o.exit, exitDiffers, "it exits with")
	o.wants(t, "invoice_filters", holds, "transactionId filters")
	wantNothingLeft(t, s)
}

func TestCheck_putsBackTheBlocksThatAServiceResets(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(s *sandbox.Server, cancel func()){
		"to the end":  func(*sandbox.Server, func()) {},
		"interrupted": func(s *sandbox.Server, cancel func()) { s.Before("PUT", settingsOf(s), cancel) },
		"without an answer": func(s *sandbox.Server, _ func()) {
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "PUT", Path: "/v1/companies/{id}/settings"})
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s, _, c := started(t, sandbox.Options{SettingsReplaceAll: true})
			before := s.SettingsJSON(s.OwnerCompanyID())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			disturb(s, cancel)
			o := finished(ctx, t, c)
			wantSettings(t, s, before)
			fixture.WantRequests(t, s, "PUT", settingsOf(s), 2)
			if strings.Contains(o.out, "could not be put back") {
				t.Errorf("a loss is told:\n%s", o.out)
			}
		})
	}
}

func TestCheck_issuesNothingWhereTheEnvironmentIsNotKnown(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	fixture.Company(s, fixture.BranchNumber)
	s.Patch(sandbox.KindCompanies, s.OwnerCompanyID(), map[string]any{"_apiKey": s.OwnerKey()})
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/companies/{id}/settings", Kind: sandbox.FaultStatus, Status: 403, Times: 2})
	o := finished(t.Context(), t, c)
	if len(s.Invoices("")) > 0 || s.Count("POST", fixture.OrdersPath) > 0 || o.operation("create_service_invoice").Verdict != notTried {
		t.Errorf("%v were issued", s.Invoices(""))
	}
}

func TestCheck_withoutAccessEndsAtOnce(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	s.RegenerateKey(s.OwnerCompanyID())
	if o := finished(t.Context(), t, c); o.exit != exitUnusual || len(s.Requests()) != 1 {
		t.Errorf("it exits with %d after %d requests:\n%s", o.exit, len(s.Requests()), o.out)
	}
}

func TestCheck_anInterruptRemovesWhatWasMade(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"/v1/customers", "/v1/products", "/v1/webhooks", "/v1/orders", "/v1/service-invoices", "/v1/product-invoices"} {
		rows.Case(t, strings.TrimPrefix(at, "/v1/"), func(t *testing.T) {
			s, clock, c := started(t, sandbox.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.Before("POST", at, cancel)
			o := finished(ctx, t, c)
			if o.exit != exitUnusual || !strings.Contains(o.out, "interrupted") {
				t.Errorf("it exits with %d:\n%s", o.exit, o.out)
			}
			o.wants(t, "list_customers", answers, "")
			for _, got := range []string{o.operation("correct_invoice").Note, o.assumption("letter_shows_an_event").Seen} {
				expect.Is(t, got, cutShort, "the file says")
			}
			if got := o.assumption("manifest_body"); got.Seen != seenBy["manifest_body"].unseen {
				t.Errorf("%+v", got)
			}
			_ = clock.Pause(t.Context(), time.Minute)
			wantNothingLeft(t, s)
		})
	}
}

func TestRun_endsWithoutARequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args   string
		exit   int
		prints string
	}{
		"version":         {"-version", exitFits, name + " " + version + "\n"},
		"help":            {"-help", exitFits, exits},
		"no key":          {"-base-url http://127.0.0.1:1/v1", exitUnusual, ""},
		"no address":      {"-api-key k", exitUnusual, ""},
		"an unknown flag": {"-fast", exitUnusual, ""},
		"a word":          {"now", exitUnusual, ""},
		"http":            {"-base-url http://example.com/v1 -api-key k", exitUnusual, ""},
	} {
		var out bytes.Buffer
		exit := run(t.Context(), strings.Fields(tt.args), func(string) string { return "" }, &out, &out)
		if exit != tt.exit || !strings.Contains(out.String(), tt.prints) {
			t.Errorf("%s: it exits with %d and prints %s", name, exit, &out)
		}
	}
}

func TestAssumptions_areWholeAndSeen(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, a := range assumptions {
		if seen[a.ID] || a.ID == "" || a.Text == "" || a.Evidence == "" || a.Otherwise == "" || seenBy[a.ID].how == "" {
			t.Errorf("%q is there twice, not whole, or nothing says how the check program sees it", a.ID)
		}
		seen[a.ID] = true
	}
	expect.Is(t, len(seenBy), len(assumptions), "entries for assumptions")
}

func TestOperations_eachHasItsOwnEntry(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, q := range everyQuestion() {
		if seen[q.entry()] {
			t.Errorf("%s is there twice", q.entry())
		}
		seen[q.entry()] = true
	}
	for name := range copedWithout {
		if !seen[name] {
			t.Errorf("there is no operation %s", name)
		}
	}
	if !seen["list_consumer_invoices"] || !seen["get_inbound_service_document"] || !seen["create_customer"] {
		t.Errorf("the entries are %v", seen)
	}
}

func TestSwitches_eachIsInTheTable(t *testing.T) {
	t.Parallel()
	untold := map[string]string{
		"Clock": "no behavior", "Seed": "no behavior", "SyncInterval": "a search is never asked for",
		"KeepsRejected": "its rejected invoice is sent once", "OrdersNeedPeriod": "each list has a period", "OrdersNeedLegalName": "its buyer is a person",
		"EmptyManifestAnswer": "nothing is manifested", "OrdersAnswerInvoice": "its order issues nothing", "EmptyRotateAnswer": "the secret is never rotated",
	}
	tried := map[string]bool{}
	for _, s := range switches(t) {
		for i := range reflect.TypeFor[sandbox.Options]().NumField() {
			if !reflect.ValueOf(s.Options).Field(i).IsZero() {
				tried[reflect.TypeFor[sandbox.Options]().Field(i).Name] = true
			}
		}
	}
	for i := range reflect.TypeFor[sandbox.Options]().NumField() {
		name := reflect.TypeFor[sandbox.Options]().Field(i).Name
		if tried[name] == (untold[name] != "") {
			t.Errorf("the switch %s is tried: %t, and cannot be told because of: %q", name, tried[name], untold[name])
		}
	}
}

func TestTables_areInThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "templates", "guides", "interface-coverage.md"))
	expect.NoError(t, err)
	if current, err := withTables(string(page)); err != nil || current != string(page) {
		t.Errorf("the tables of the page are not current (%v): run make generate", err)
	}
}

func TestTables_replaceWhatStandsBetweenTheMarkers(t *testing.T) {
	t.Parallel()
	page, err := withTables("before\n" + tablesBegin + "obsolete\n" + tablesEnd + "after\n")
	if err != nil || !strings.HasPrefix(page, "before\n") || !strings.HasSuffix(page, "after\n") || strings.Contains(page, "obsolete") {
		t.Errorf("%v:\n%s", err, page)
	}
	for _, o := range einvoice.Operations {
		expect.Contains(t, page, "| `"+o.Name+"` | `"+o.Method+" "+o.Path+"` |")
	}
	for _, a := range assumptions {
		expect.Contains(t, page, "| `"+a.ID+"` |")
	}
	if _, err := withTables("no markers"); err == nil {
		t.Error("a page without markers is accepted")
	}
}

// paced runs a check at the usual pace, on a clock of its own.
func paced(t *testing.T, service *sandbox.Server) outcome {
	t.Helper()
	t.Cleanup(service.Close)
	network := testkit.NewNetwork(t)
	c, err := newCheck(einvoice.Config{
		BaseURL: "http://" + network.Serve(t, service).Address + "/v1", APIKey: service.OwnerKey(), Dial: network.Dial,
		RequestsPerMinute: 60, RequestsPerSecond: 5, MaxRetries: 3,
	})
	expect.NoError(t, err)
	return finished(t.Context(), t, c)
}

// A run with the usual limits is refused by none, and tries everything.
func TestCheck_keepsToTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Options{RateLimit: true})
		o := paced(t, service)
		for _, request := range service.Requests() {
			if request.Status == 429 {
				t.Errorf("%s %s was refused for the limit", request.Method, request.Path)
			}
		}
		for _, operation := range o.report.Operations {
			if operation.Verdict == notTried && !strings.HasPrefix(operation.Note, "it would ") {
				t.Errorf("%s was not tried: %s", operation.Name, operation.Note)
			}
		}
	})
}

// A 429 is waited for, and no answer to what was asked.
func TestCheck_asksAgainAfterTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Options{})
		service.Inject(sandbox.Fault{
			Method: "GET", Path: "/v1/companies/{id}/settings", Kind: sandbox.FaultStatus, Status: 429,
			Header: http.Header{"Retry-After": {"1"}}, Times: 1,
		})
		paced(t, service).wants(t, "get_settings", answers, "")
	})
}

const testCSC = "A1B2C3D4-E5F6"

var withCSC = map[string]any{
	"consumerInvoice": map[string]any{"tokenId": "000001", "csc": testCSC},
	"general":         map[string]any{"technicalResponsible": nil},
}

// switched is one thing that the service in memory can do otherwise, and how that is told.
type switched struct {
	Name                                 string
	Options                              sandbox.Options
	AuthorizeAfter, ListLag, DeletionLag string // durations among the options
	Settings                             map[string]any
	About                                string // an operation or an assumption
	Verdict                              string
	Seen                                 string // or the note
	Exit                                 int
	Pasted                               string
}

func switches(t *testing.T) []switched {
	t.Helper()
	all := rows.Read[[]switched](t, "switches.json")
	for i := range all {
		s := &all[i]
		for text, option := range map[*string]*time.Duration{
			&s.AuthorizeAfter: &s.Options.AuthorizeAfter, &s.ListLag: &s.Options.ListLag, &s.DeletionLag: &s.Options.DeletionLag,
		} {
			if *text != "" {
				duration, err := time.ParseDuration(*text)
				expect.NoError(t, err)
				*option = duration
			}
		}
	}
	return all
}

func TestSwitches_areToldApart(t *testing.T) {
	t.Parallel()
	for _, tt := range switches(t) {
		rows.Case(t, tt.Name, func(t *testing.T) {
			s, clock, c := started(t, tt.Options)
			if tt.Options.RateLimit {
				s.OnRequest(func(sandbox.Request) { _ = clock.Pause(t.Context(), time.Second) })
			}
			if tt.Settings != nil {
				s.SetSettings(s.OwnerCompanyID(), tt.Settings)
			}
			o := finished(t.Context(), t, c)
			expect.Is(t, o.exit, tt.Exit, "the exit code:\n%s", o.out)
			o.wants(t, tt.About, tt.Verdict, tt.Seen)
			expect.Contains(t, o.out, tt.Pasted)
			canDelete := !tt.Options.NoCustomerDelete && !tt.Options.OnlySpecified
			if canDelete {
				wantNothingLeft(t, s)
			}
			if isTold := len(o.report.Left) > 0; isTold == canDelete {
				t.Errorf("%v are told to be left", o.report.Left)
			}
		})
	}
}

func TestSeeSecret_doesNotTakeACutSecretForACopedOneWhereKeysAreCut(t *testing.T) {
	t.Parallel()
	_, _, c := started(t, sandbox.Options{})
	c.seeKey("a1b2c3")
	c.seeSecret(object{"csc": "A1B2C3"}, "csc", "tokenId")
	if got := c.assumption("settings_hide_secrets"); got.Verdict != differs || got.Coped {
		t.Errorf("%+v", got)
	}
}
