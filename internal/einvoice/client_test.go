package einvoice

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCheckBaseURL(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Name, URL, Want string }](t, "check_base_url.json") {
		err := CheckBaseURL(tt.URL)
		switch {
		case tt.Want == "" && err != nil:
			t.Errorf("%s: %v", tt.Name, err)
		case tt.Want != "" && (err == nil || !strings.Contains(err.Error(), tt.Want)):
			t.Errorf("%s: error %v, want one with %q", tt.Name, err, tt.Want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the error shows the password: %v", tt.Name, err)
		}
	}
}

func TestNew_refusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Config json.RawMessage
		Want   string
	}](t, "new_refuses_what_cannot_work.json") {
		cfg := Config{BaseURL: "https://host.example/v1", APIKey: testKey}
		must(t, json.Unmarshal(tt.Config, &cfg))
		_, err := New(cfg)
		if err == nil || !strings.Contains(err.Error(), tt.Want) || strings.Contains(err.Error(), "cret") {
			t.Errorf("%s: error %v, want one with %q and without the key", name, err, tt.Want)
		}
	}
}

func TestClient_normalizesItsAddress(t *testing.T) {
	t.Parallel()
	a := mustClient(t, Config{BaseURL: "https://HOST.example:443/v1///", APIKey: testKey})
	b := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: testKey})
	other := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: "another"})
	expect.Is(t, a.BaseURL(), "https://host.example/v1", "base URL")
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("two spellings of one address have two fingerprints")
	}
	if a.Fingerprint() == other.Fingerprint() {
		t.Error("two keys have one fingerprint")
	}
	if len(a.Fingerprint()) != 64 || strings.Contains(a.Fingerprint(), testKey) {
		t.Errorf("fingerprint %s", a.Fingerprint())
	}
}

func TestClient_withoutKeySendsNothing(t *testing.T) {
	t.Parallel()
	c := scripted(t, nil, func(cfg *Config) { cfg.APIKey = "" })
	_, err := c.Customer(t.Context(), "1")
	wantKind(t, err, "no key, not sent")
	if c.KeyMatchesMask("****") {
		t.Error("no key matches a mask")
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Masked, Key string
		Matches, Proves   bool
	}](t, "masks.json") {
		matches, proves := MaskMatchesKey(tt.Masked, tt.Key)
		if matches != tt.Matches || proves != tt.Proves {
			t.Errorf("%s: matches %v, proves %v", tt.Name, matches, proves)
		}
		c := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: tt.Key})
		if got, want := c.KeyMatchesMask(tt.Masked), tt.Matches && tt.Proves; got != want {
			t.Errorf("%s: KeyMatchesMask is %v, want %v", tt.Name, got, want)
		}
	}
	for s, want := range map[string]bool{"": false, "abc": false, "ab*c": true, "••••": true, "[hidden]": true} {
		expect.Is(t, IsMasked(s), want, "%q counts as masked: %v", s, !want)
	}
}

// An account that shows its only company in the place of a list still tells whose key it is.
func TestAskHolder_takesASingleCompanyForTheList(t *testing.T) {
	t.Parallel()
	c := wired(t, func(*http.Request) (*http.Response, error) {
		return reply(200, `{"id":"1","federalTaxNumber":"11222333000181","apiCredentials":{"apiKey":"`+testKey[:4]+`****"}}`), nil
	})
	holder, err := c.AskKeyOwner(t.Context(), nil, func(number Text) bool { return number == "11222333000181" })
	if holder != "11222333000181" || err != nil {
		t.Errorf("AskHolder = %q, %v", holder, err)
	}
}

func TestPatience_isTwiceTheTimeoutAndAtLeast20Seconds(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{
		0: time.Minute, time.Second: 20 * time.Second, 45 * time.Second: 90 * time.Second,
	} {
		expect.Is(t, Patience(timeout), want, "after a timeout of %s", timeout)
	}
}

// A CLI works on many resources at once. The connections of one round are those of the next.
func TestClient_reusesConnectionsOfManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	const atOnce, rounds = 20, 3
	var opened atomic.Int64
	var arrived sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait() // Until all of the round are here.
		fmt.Fprintf(w, `{"id": %q}`, r.URL.Path[len("/v1/products/"):])
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey})
	t.Cleanup(client.http.CloseIdleConnections)
	for range rounds {
		arrived.Add(atOnce)
		var round sync.WaitGroup
		for i := range atOnce {
			round.Go(func() {
				if _, err := client.do(t.Context(), call{method: http.MethodGet, path: []string{"products", fmt.Sprintf("product-%d", i)}}); err != nil {
					t.Error(err)
				}
			})
		}
		round.Wait()
	}
	expect.Is(t, opened.Load(), atOnce, "connections were opened for %d rounds of requests", rounds)
}

// over is a service with a limit as a transport.
func over(service *pacetest.Service) wire {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		status, header := service.Exchange()
		resp := reply(status, `{"id":"1"}`)
		resp.Header = header
		return resp, nil
	}
}

// One sale is a look-up and a creation. Whatever is counted here and on other
// machines, each is made, without any retry being allowed.
func TestLimit_everyCreationIsMade(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name                 string
		PerMinute, PerSecond int // what this machine believes; 0 is no pacing
		Service              *pacetest.Service
		Most                 rows.Span
		Refusals             int
	}](t, "limit_every_creation_is_made.json") {
		bubble(t, tt.Name, func(t *testing.T) {
			c := wired(t, over(tt.Service), func(cfg *Config) {
				cfg.RequestsPerMinute, cfg.RequestsPerSecond = tt.PerMinute, tt.PerSecond
			})
			begun := time.Now()
			atOnce(30, 50, func(int) {
				if _, err := c.Invoice(t.Context(), ModelProduct, "1"); err != nil {
					t.Error(err)
				}
				if _, err := c.CreateInvoice(t.Context(), ModelProduct, []byte(`{}`), nil); err != nil {
					t.Error(err)
				}
			})
			if took, n := time.Since(begun), tt.Service.Refusals(); took > time.Duration(tt.Most) || n > tt.Refusals {
				t.Errorf("it took %s and %d refusals", took, n)
			}
		})
	}
}

// What is late never leaves, whether it has a body or not, and on a connection that is open already.
func TestGuard_sendsNothingLate(t *testing.T) {
	t.Parallel()
	hours := int64(1)
	for name, window := range map[string]*int64{"without a body": nil, "with a body": &hours} {
		rows.Case(t, name, func(t *testing.T) {
			var posts atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					posts.Add(1)
				}
				_, _ = w.Write([]byte(`{"secret":"whsec_a"}`))
			}))
			defer server.Close()
			c := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey, RequestTimeout: 300 * time.Millisecond})
			for range 5 {
				for opened := false; !opened; { // A busy machine may be late itself.
					opened = errorOf(c.WebhookSecret(t.Context())) == nil
				}
				late := &guard{begin: func() { <-time.After(310 * time.Millisecond) }}
				if _, err := c.RotateWebhookSecret(t.Context(), window, late); !errors.Is(err, ErrNotSent) {
					t.Fatalf("got %v, want that nothing was sent", err)
				}
			}
			expect.Is(t, posts.Load(), 0, "late requests were sent")
		})
	}
}

// The record of what must happen once is put back while the client waits to repeat an attempt that was certainly not
// processed: a process that is killed in that wait leaves nothing in doubt.
func TestGuard_takesBackWhatWasNotProcessed(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Method, Want string
		Outcomes     []said
	}](t, "guard_takes_back_what_was_not_processed.json") {
		bubble(t, name, func(t *testing.T) {
			c, _ := played(t, 2, outcomesOf(tt.Outcomes)...)
			var happened []string
			req := c.operation("create_customer").with(Customer{Name: "A"})
			if tt.Method == http.MethodDelete {
				req = c.object("delete", KindCustomer, "1")
			}
			req.guard = &guard{
				begin: func() { happened = append(happened, "begin") },
				back:  func() { happened = append(happened, "back") },
			}
			_, _ = c.do(t.Context(), req)
			expect.Is(t, strings.Join(happened, " "), tt.Want, "got")
		})
	}
}

type guard struct{ begin, back func() }

func (g *guard) Begin(context.Context) error { g.begin(); return nil }
func (g *guard) TakeBack(context.Context)    { g.back() }

func TestTry_showsTheAnswerAsItCame(t *testing.T) {
	t.Parallel()
	c := scripted(t, []exchange{
		{
			method: "GET", path: "/v1/consumer-invoices?page=1", header: map[string]string{"x-rate-limit-limit": "1m"},
			answer: `[{"id":1}]`,
		},
		{method: "GET", path: "/v1/product-invoices/1/pdf", answer: "%PDF-1.4"},
		{method: "POST", path: "/v1/cancel/service/1", body: `{"reason":"x"}`, status: 404, answer: "no " + testKey},
	}, func(cfg *Config) {
		cfg.Operations = map[string]string{"cancel_invoice": "POST /v1/cancel/{model}/{id}"}
	})

	got, err := c.Try(t.Context(), "list_invoices", []string{"consumer"}, url.Values{"page": {"1"}}, nil)
	if err != nil || got.Status != http.StatusOK || string(got.Body) != `[{"id":1}]` || got.Header.Get("x-rate-limit-limit") != "1m" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Try(t.Context(), "get_invoice_pdf", []string{"product", "1"}, nil, nil); err != nil || string(got.Body) != "%PDF-1.4" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = c.Try(t.Context(), "cancel_invoice", []string{"service", "1"}, nil, map[string]string{"reason": "x"})
	if failure := (*Error)(nil); !errors.As(err, &failure) || got.Status != http.StatusNotFound || strings.Contains(err.Error(), testKey) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMaySendAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Outcome     said
		Repetitions int
		May         bool
	}](t, "may_send_again.json") {
		bubble(t, name, func(t *testing.T) {
			c, _ := played(t, 2, tt.Outcome.outcome())
			err := operations["POST"](t.Context(), c)
			expect.Is(t, c.MaySendAgain(err, tt.Repetitions, 20*time.Second), tt.May, "after %v", err)
		})
	}
}

const testKey = "key-0123456789-abcdef"

// exchange is one request that a test expects and the answer it gets.
type exchange struct {
	method, path string // path with its query, as on the request line
	body         string // exact; "" is no body at all
	status       int    // 200 when 0
	header       map[string]string
	answer       string
}

// scripted is a client of a service that answers a script, and fails the test for every deviation from it.
func scripted(t *testing.T, script []exchange, change ...func(*Config)) *Client {
	t.Helper()
	served := 0
	t.Cleanup(func() { expect.Is(t, served, len(script), "of expected requests came") })
	return wired(t, func(r *http.Request) (*http.Response, error) {
		if served >= len(script) {
			t.Errorf("unexpected request %s %s", r.Method, r.URL.RequestURI())
			return reply(http.StatusTeapot, ""), nil
		}
		want := script[served]
		served++
		var body []byte
		if r.Body != nil {
			body, _ = io.ReadAll(r.Body)
		}
		came := []string{r.Method, r.URL.RequestURI(), string(body)}
		for _, name := range []string{"X-Api-Key", "User-Agent", "Content-Type"} {
			came = append(came, r.Header.Get(name))
		}
		kind := map[bool]string{true: "application/json"}[want.body != ""]
		expect.Same(t, []string{want.method, want.path, want.body, testKey, "test/1.0", kind}, came)
		if accept := r.Header.Get("Accept"); !strings.HasPrefix(accept, "application/json") {
			t.Errorf("header Accept is %q", accept)
		}
		resp := reply(cmp.Or(want.status, http.StatusOK), want.answer)
		for name, value := range want.header {
			resp.Header.Set(name, value)
		}
		return resp, nil
	}, slices.Insert(change, 0, func(cfg *Config) {
		cfg.BaseURL, cfg.UserAgent = "https://host.example/v1/", "test/1.0"
	})...)
}

// errorOf is the error of an operation.
func errorOf[T any](_ T, err error) error { return err }

func must(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}

func mustClient(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg)
	must(t, err)
	return c
}

// bubble is a parallel subtest with a synthetic clock.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	rows.Case(t, name, func(t *testing.T) {
		synctest.Test(t, test)
	})
}

// wire is a transport in memory, for tests whose clock is synthetic.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

// wired is a client whose requests w answers, configured as change says.
func wired(t *testing.T, w wire, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{BaseURL: "https://host.example/v1", APIKey: testKey, Wrap: func(http.RoundTripper) http.RoundTripper { return w }}
	for _, f := range change {
		f(&cfg)
	}
	return mustClient(t, cfg)
}

// reply builds an answer in memory; headers are name, value pairs.
func reply(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for pair := range slices.Chunk(headers, 2) {
		h.Set(pair[0], pair[1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

// failed unpacks the one error type, and fails the test for anything else.
func failed(t *testing.T, err error) *Error {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("the error is %T %v, want *Error", err, err)
	}
	return failure
}

// kinds lists which sentinels an error is, in a fixed order: "other" for none of them, and nothing for no error.
func kinds(err error) string {
	var list []string
	for _, k := range []struct {
		name     string
		sentinel error
	}{
		{"bad request", ErrBadRequest},
		{"unauthorized", ErrUnauthorized},
		{"forbidden", ErrForbidden},
		{"not found", ErrNotFound},
		{"unproven", ErrUnproven},
		{"missing", ErrMissing},
		{"method not allowed", ErrMethodNotAllowed},
		{"rate limited", ErrRateLimited},
		{"server", ErrServer},
		{"no key", ErrNoAPIKey},
		{"not successful", ErrNotSuccessful},
		{"cannot delete", ErrCannotDelete},
		{"redirect", ErrRedirect},
		{"bad answer", ErrBadAnswer},
		{"order unnamed", ErrOrderUnnamed},
		{"ambiguous", ErrAmbiguous},
		{"not sent", ErrNotSent},
		{"canceled", context.Canceled},
	} {
		if errors.Is(err, k.sentinel) {
			list = append(list, k.name)
		}
	}
	if err != nil && len(list) == 0 {
		return "other"
	}
	return strings.Join(list, ", ")
}

// wantKind ends the test unless an error is of this kind. about says which case of a loop it is.
func wantKind(t *testing.T, err error, want string, about ...string) {
	t.Helper()
	if got := kinds(err); got != want {
		t.Fatalf("%v is %s, want %s %s", err, got, want, about)
	}
}

// all collects a walk.
func all[T any](walk iter.Seq2[*T, error]) (list []*T, end error) {
	for v, err := range walk {
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
	return list, nil
}

// TestMain fails when a test leaves a goroutine behind: a request that has ended,
// whichever way, has closed its connection and stopped its clocks.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOperations_areATable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range Operations {
		if seen[o.Name] {
			t.Errorf("%s is there twice", o.Name)
		}
		seen[o.Name] = true
		if route := o.Method + " " + o.Path; seen[route] {
			t.Errorf("%s is there twice", route)
		} else {
			seen[route] = true
		}
		expect.Is(t, strings.Contains(o.Path, "{model}"), (o.Models != ""), "%s: the path is %s and its models are %q", o.Name, o.Path, o.Models)
		if model, basis, _ := strings.Cut(o.Differ, " "); o.Differ != "" && (!strings.Contains(o.Models, model) || o.BasisFor(model) != Basis(basis)) {
			t.Errorf("%s differs for %q", o.Name, o.Differ)
		}
		if o.Basis != Shown {
			if err := CheckOperation(o.Name, o.Method+" "+o.Path); err != nil {
				t.Errorf("its own path as an override: %v", err)
			}
		}
	}
}

func TestCheckOperation_refusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Name, Override, Want string }](t, "check_operation_refuses_what_cannot_be_sent.json") {
		err := CheckOperation(tt.Name, tt.Override)
		if tt.Want == "" && err != nil || tt.Want != "" && (err == nil || !strings.Contains(err.Error(), tt.Want)) {
			t.Errorf("%s = %q is refused with %v, want %q", tt.Name, tt.Override, err, tt.Want)
		}
	}
	if err := CheckOperation("x", ""); !errors.Is(err, ErrUnknownOperation) {
		t.Errorf("an unknown name is refused with %v", err)
	}
}

// What is shown for a model stays as it is; do refuses a path without its model.
func TestOperation_fillsThePathOfTheTableOrOfAnOverride(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Override, Name string
		Values         []string
		Want           string
	}](t, "operation_fills_the_path.json") {
		c := &Client{operations: standardOperations}
		if tt.Override != "" {
			c.operations = operationsWith(standardOperations, map[string]string{tt.Name: tt.Override})
		}
		req := c.operation(tt.Name, tt.Values...)
		expect.Is(t, req.method+" "+req.route(), tt.Want, "%s %q", tt.Name, tt.Values)
	}
}

// The file has an empty status too, and one of no specification: a newer service may have it.
func TestStatus_decidesWhatTheClientDoes(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/statuses.csv")
	expect.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	expect.NoError(t, err)
	for _, row := range rows[1:] {
		want, documents := map[string]bool{}, ""
		for n, column := range rows[0] {
			if want[column] = row[n] == "yes"; column == "documents" {
				documents = row[n]
			}
		}
		v := &Invoice{Status: Enum(row[0])}
		m := v.Meaning()
		for column, got := range map[string]bool{
			"final": m.Final, "live": m.Live && v.Status != "", "ended": m.HasEnded(), "correctable": m.Correctable,
			"cancelable": m.Cancelable, "numbered": m.Numbered, "uses number": m.UsesNumber, "draft": v.IsDraft(),
			"decided": m.Final || m.Valid,
		} {
			expect.Is(t, got, want[column], "%q: %s", row[0], column)
		}
		expect.Is(t, []string{"unknown", "later", "now", "never"}[m.Documents], documents, "%q: documents", row[0])
	}
}
