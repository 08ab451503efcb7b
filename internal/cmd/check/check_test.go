package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// outcome is what a run came to.
type outcome struct {
	report report
	exit   int
	out    string // of both streams and the file
}

// of returns the verdict on an operation or an assumption, and what was seen of it.
func (o outcome) of(about string) string {
	for _, result := range o.report.Operations {
		if result.Name == about {
			return result.Verdict + ": " + result.Note
		}
	}
	for _, result := range o.report.Assumptions {
		if result.ID == about {
			return result.Verdict + ": " + result.Seen
		}
	}
	return ""
}

// started is a service whose time moves while somebody waits, and a run against it.
func started(t *testing.T, options sandbox.Options) (*sandbox.Server, poll.Clock, *run) {
	t.Helper()
	service, clock := fixture.OnManualClock(t, options)
	return service, clock, runAt(t, service.BaseURL(), service, clock)
}

func runAt(t *testing.T, address string, service *sandbox.Server, clock poll.Clock) *run {
	t.Helper()
	r := newRun(text.English)
	r.clock = clock
	expect.NoError(t, r.connect(einvoice.Config{BaseURL: address, APIKey: service.OwnerKey()}))
	return r
}

func finished(ctx context.Context, t *testing.T, r *run) outcome {
	t.Helper()
	var out bytes.Buffer
	file := filepath.Join(t.TempDir(), "found.json")
	r.progress = &out
	o := outcome{exit: r.finish(ctx, file, &out, &out)}
	written, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(written, &o.report)
	}
	if o.out = out.String() + string(written); err != nil || strings.Contains(o.out, "<no value>") {
		t.Fatalf("%v:\n%s", err, o.out)
	}
	return o
}

// wantNothingLeft checks that what was made is removed, canceled or was rejected.
func wantNothingLeft(t *testing.T, s *sandbox.Server) {
	t.Helper()
	for _, kind := range []string{sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks} {
		if left := s.Objects(kind); len(left) > 0 {
			t.Errorf("%s are left: %v", kind, left)
		}
	}
	for _, made := range append(s.Objects(sandbox.KindOrders), s.Invoices("")...) {
		if status := made["status"]; status != "canceled" && status != "rejected" && status != "removed" {
			t.Errorf("an order or invoice is left, %v: %v", status, made["model"])
		}
	}
}

func TestRun_changesNothingThatItHasNotMade(t *testing.T) {
	t.Parallel()
	s, _, r := started(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), companySettings["filled"])
	read := func() object {
		return r.look(t.Context(), request{operation: "get_settings", ids: []string{s.OwnerCompanyID()}}).object()
	}
	before := read()
	o := finished(t.Context(), t, r)
	expect.False(t, len(o.report.Operations) != len(everyRequest) || len(o.report.Assumptions) != len(assumptions),
		"the report has %d operations and %d assumptions", len(o.report.Operations), len(o.report.Assumptions))
	if n := len(s.Requests()); o.report.Requests != n {
		t.Errorf("%d requests are told of, and %d were sent", o.report.Requests, n)
	}
	for model, want := range map[string]int{einvoice.ModelProduct: 2, einvoice.ModelConsumer: 1, einvoice.ModelService: 1} {
		if n := len(s.Invoices(model)); n != want {
			t.Errorf("%d invoices of the model %s were made, want %d", n, model, want)
		}
	}
	for _, path := range []string{"/v1/companies", fixture.RotatePath, "/v1/inbound-product-invoices/sync"} {
		expect.False(t, s.Count("POST", path) > 0, "a POST of %s changes the account", path)
	}
	after := read()
	for block := range before {
		if lost := lostOf(before.part(block), after.part(block)); len(lost) > 0 || !strings.HasPrefix(o.of("settings_put_keeps_other_blocks"), holds) {
			t.Errorf("%s of the settings has lost %q", block, lost)
		}
	}
	wantNothingLeft(t, s)
	for _, secret := range []string{s.OwnerKey(), s.WebhookSecret(), fixture.MainNumber} {
		expect.False(t, strings.Contains(o.out, secret), "the output shows %s", secret)
	}
}

func TestRun_readOnlySendsGETAlone(t *testing.T) {
	t.Parallel()
	s, _, r := started(t, sandbox.Options{})
	fixture.AuthorizedNFe(s)
	r.readOnly = true
	o := finished(t.Context(), t, r)
	if n := len(s.Requests()); o.exit != exitFits || n == 0 || s.Count("GET", "") != n {
		t.Errorf("it exits with %d after %d requests, %d of them GET:\n%s", o.exit, n, s.Count("GET", ""), o.out)
	}
	if !strings.HasPrefix(o.of("create_customer"), notTried) || !strings.HasPrefix(o.of("get_product_invoice"), answers) {
		t.Error(o.out)
	}
}

func TestRun_speaksPortuguese(t *testing.T) {
	t.Parallel()
	_, _, r := started(t, sandbox.Options{ListLag: 8 * time.Second, RefuseSecondPost: true, CancelByPost: true})
	r.language = text.Portuguese
	out, _, _ := strings.Cut(finished(t.Context(), t, r).out, "\n{")
	for _, words := range []string{"RESULTADO", "O provider não contorna", "recusado"} {
		expect.True(t, strings.Contains(out, words), "the output lacks %q:\n%s", words, out)
	}
	english := regexp.MustCompile(`(?i)\b(the|is|was|and|of)\b`).FindString(out)
	expect.False(t, english != "", "%q in:\n%s", english, out)
}

// An environment of production ends all issuing, also where only an answer shows it; so does a company that is unknown.
func TestRun_issuesNothingWhereThatMayCount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		disturb func(*sandbox.Server, *run)
		issued  int
	}{
		"two companies whose keys begin alike, and settings that are refused": {func(s *sandbox.Server, _ *run) {
			fixture.Company(s, fixture.BranchNumber)
			s.Patch(sandbox.KindCompanies, s.OwnerCompanyID(), map[string]any{"_apiKey": s.OwnerKey()})
			s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/companies/{id}/settings", Kind: sandbox.FaultStatus, Status: 403, Times: 1})
		}, 0},
		"the company of -company has another key": {func(s *sandbox.Server, r *run) {
			r.companyID, _ = fixture.Company(s, fixture.BranchNumber)
		}, 0},
		"settings that change meanwhile": {func(s *sandbox.Server, _ *run) {
			s.Before("POST", fixture.ServiceInvoices, func() { s.SetSettings(s.OwnerCompanyID(), companySettings["production"]) })
		}, 1},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s, _, r := started(t, sandbox.Options{})
			tt.disturb(s, r)
			o := finished(t.Context(), t, r)
			if n := len(s.Invoices("")); n != tt.issued || s.Count("POST", fixture.OrdersPath) > 0 || tt.issued > 0 && o.exit != exitUnusual {
				t.Errorf("%d invoices were issued; it exits with %d:\n%s", n, o.exit, o.out)
			}
			wantNothingLeft(t, s)
		})
	}
}

func TestBeginsAs_readsAnyMask(t *testing.T) {
	t.Parallel()
	const key = "a1b2c3d4-e5f6"
	for shown, want := range map[string][2]bool{
		key: {true, true}, "a1b2": {true, true}, "a1b2****-****": {true, true}, "a1b2...": {true, true}, "a1b2…": {true, true},
		"ffff****-****": {false, true}, "f1f2": {false, true},
		"": {true, false}, "********": {true, false}, "[hidden]": {false, false}, "xxxxxxxx": {false, false},
	} {
		isSame, isTold := beginsAs(shown, key)
		expect.False(t, isTold != want[1] || isTold && isSame != want[0], "%q: %t, %t", shown, isSame, isTold)
	}
}

func TestRun_anInterruptRemovesWhatWasMade(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"customers", "orders", "service-invoices", "product-invoices"} {
		rows.Case(t, at, func(t *testing.T) {
			s, clock, r := started(t, sandbox.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.Before("POST", "/v1/"+at, cancel)
			o := finished(ctx, t, r)
			if o.exit != exitUnusual || !strings.Contains(o.out, "interrupted") || !strings.HasPrefix(o.of("correct_invoice"), notTried) {
				t.Errorf("it exits with %d:\n%s", o.exit, o.out)
			}
			_ = clock.Pause(t.Context(), time.Minute)
			wantNothingLeft(t, s)
		})
	}
}

// A run with the usual limits is refused by none, tries everything, and prints within three minutes.
func TestRun_printsWithinThreeMinutesAtTheLimit(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"a service that fits": {AuthorizeAfter: 5 * time.Second},
		"lists that lag":      {ListLag: 40 * time.Second, AuthorizeAfter: 20 * time.Second},
		"an idle authority":   {AuthorizeAfter: time.Hour},
	} {
		rows.Case(t, name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options.RateLimit = true
				service := sandbox.New(options)
				t.Cleanup(service.Close)
				network := testkit.NewNetwork(t)
				r := newRun(text.English)
				err := r.connect(einvoice.Config{
					BaseURL: "http://" + network.Serve(t, service).Address + "/v1", APIKey: service.OwnerKey(), Dial: network.Dial,
					RequestsPerMinute: 60, RequestsPerSecond: 5, MaxRetries: 3,
				})
				expect.NoError(t, err)
				began := time.Now()
				o := finished(t.Context(), t, r)
				for _, request := range service.Requests() {
					expect.False(t, request.Status == http.StatusTooManyRequests,
						"%s %s was refused for the limit", request.Method, request.Path)
				}
				for _, operation := range o.report.Operations {
					isSkipped := strings.HasPrefix(operation.Note, "Never tried")
					expect.False(t, operation.Verdict == notTried && name == "a service that fits" && !isSkipped,
						"%s was not tried: %s", operation.Name, operation.Note)
				}
				took := r.printed.Sub(began)
				expect.False(t, took > 3*time.Minute, "it prints after %s", took)
				left := len(o.report.Left)
				expect.False(t, (name == "an idle authority") != (left > 0), "%q are left", o.report.Left)
			})
		})
	}
}

func TestCommand_endsWithoutARequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args, language string
		exit           int
		prints         string
	}{
		"version":            {"-version", "", exitFits, name + " " + version + "\n"},
		"help":               {"-help", "", exitFits, "Exit codes, the first that applies:\n  2  wrong use"},
		"help in Portuguese": {"-help", "pt-BR", exitFits, "somente requisições GET"},
		"another language":   {"-base-url http://127.0.0.1:1/v1 -api-key k", "fr", exitUnusual, "`en` or `pt-BR`"},
		"no key":             {"-base-url http://127.0.0.1:1/v1", "", exitUnusual, "no API key"},
		"no address":         {"-api-key k", "", exitUnusual, ""},
		"an unknown flag":    {"-fast", "", exitUnusual, ""},
		"a word":             {"now", "", exitUnusual, "only flags are allowed"},
		"http":               {"-base-url http://example.com/v1 -api-key k", "", exitUnusual, ""},
	} {
		var out bytes.Buffer
		env := func(variable string) string { return map[string]string{text.EnvLanguage: tt.language}[variable] }
		exit := command(t.Context(), strings.Fields(tt.args), env, &out, &out)
		expect.False(t, exit != tt.exit || !strings.Contains(out.String(), tt.prints),
			"%s: it exits with %d and prints %s", name, exit, &out)
	}
}

// Each text of the catalog is one that the program says, and the other way round.
func TestTexts_areThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	files, _ := filepath.Glob("*.go")
	for _, file := range append(files, "questions.txt") {
		source, _ := os.ReadFile(file)
		said.Write(source)
	}
	catalog, _ := os.ReadFile(filepath.Join("..", "..", "text", "en", "check.txt"))
	for _, key := range regexp.MustCompile(`(?m)^### (check|lacks|flag)\.(\w+)$`).FindAllStringSubmatch(string(catalog), -1) {
		if word := strings.TrimPrefix(key[2], "measured_"); !regexp.MustCompile(`[" .]` + word + `\b`).MatchString(said.String()) {
			t.Errorf("nothing says %s", key[0])
		}
	}
	named := regexp.MustCompile(`(?:(?:words|fits|copes|breaks)\((?:\w+, |"\w+", )?"|-> (?:fits|copes|breaks|measure|unclear) )(\w+)`)
	for _, key := range named.FindAllStringSubmatch(said.String(), -1) {
		expect.False(t, !text.Has("check."+key[1]) && key[1] != "measured_", "no text has the key %s", key[1])
	}
	for _, a := range assumptions {
		expect.True(t, text.Has("assumption."+a.id), "no text says the assumption %s", a.id)
	}
}

// The list of questions is data: each function, operation, subject and verdict in it is one that the program knows.
func TestQuestions_areUnderstood(t *testing.T) {
	t.Parallel()
	r := newRun(text.English)
	for _, q := range r.questions {
		name, _, _ := strings.Cut(q.says["call"], " ")
		expect.False(t, calls[name] == nil && name != "", "%s: there is no %s", q.id, name)
		asked := q.says["send"]
		if asked != "" {
			_ = r.requestIn(asked, &thing{}).inTable() // It panics for an unknown operation.
		}
		for _, row := range q.rows {
			for _, c := range row.conditions {
				_ = r.subject(c.subject, &thing{}, answer{request: request{operation: "list_orders"}})
			}
			if !strings.Contains("fits copes breaks unclear measure ignore again", row.verdict) || row.verdict == "" {
				t.Errorf("%s: %q is no verdict", q.id, row.verdict)
			}
		}
	}
}
