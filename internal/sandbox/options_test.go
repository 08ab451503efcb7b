package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestOptions_onlySpecifiedLeavesOutWhatTheSpecificationDoesNotName(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{OnlySpecified: true})
	offered := map[string]bool{}
	for _, r := range c.s.Routes() {
		if r.Source == SourceAssumed {
			t.Errorf("%s is listed", r.Pattern())
		}
		offered[r.Pattern()] = true
	}
	whole := New(Options{})
	t.Cleanup(whole.Close)
	for _, r := range append(whole.Routes(), Route{Method: "PATCH", Path: "/v1/customers"}) {
		path := strings.NewReplacer("{id}", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "{cityCode}", "3550308").Replace(r.Path)
		got := c.do(r.Method, strings.TrimPrefix(path, "/v1"), nil)
		if none := got.status == http.StatusNotFound && strings.Contains(got.raw, "<html"); none == offered[r.Pattern()] {
			t.Errorf("%s is answered %d %s, offered: %t", r.Pattern(), got.status, got.raw, offered[r.Pattern()])
		}
	}
}

func TestOptions_areChosenByNames(t *testing.T) {
	t.Parallel()
	for _, name := range Switches() {
		var o Options
		if err := o.Switch(name); err != nil || reflect.ValueOf(o).IsZero() {
			t.Errorf("%s chooses %+v, %v", name, o, err)
		}
	}
	var o Options
	if err := o.Switch("no-production, lists-lag"); err != nil || !o.NoProduction || o.ListLag == 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if err := o.Switch("no-productions"); err == nil || !strings.Contains(err.Error(), "no-production,") {
		t.Errorf("an unknown name is answered %v", err)
	}
}

func TestFault_stallsUntilTheServerCloses(t *testing.T) {
	t.Parallel()
	s := Start(t, Options{})
	s.Inject(Fault{Kind: FaultStall, Path: "/v1/customers"})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(s.BaseURL(), "http://"), "/v1"))
	expect.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "GET /v1/customers HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n", s.OwnerKey())
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.NoError(t, err)
	defer resp.Body.Close()
	wantSame(t, http.StatusOK, resp.StatusCode, "status before the stall")
	one := make([]byte, 1)
	if _, err := resp.Body.Read(one); err != nil || one[0] != '{' {
		t.Errorf("body begins with %q %v, want the real one", one, err)
	}
	s.Close()
}

// judge stands in for a test that should fail.
type judge struct {
	cleanups []func()
	errors   []string
	skipped  bool
}

func (j *judge) Skipped() bool                { return j.skipped }
func (j *judge) Helper()                      {}
func (j *judge) Cleanup(f func())             { j.cleanups = append(j.cleanups, f) }
func (j *judge) Errorf(f string, args ...any) { j.errors = append(j.errors, fmt.Sprintf(f, args...)) }
func (j *judge) Fatalf(f string, args ...any) { j.Errorf(f, args...) }

func TestStart_failsATestThatLeavesAFaultOrHookBehind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		skipped bool
		declare func(*Server)
		want    []string
	}{
		{"nothing left", false, func(*Server) {}, nil},
		{"a fault taken back", false, func(s *Server) { s.Inject(Fault{Kind: FaultStall}); s.ClearFaults() }, nil},
		{"a fault", false, func(s *Server) { s.Inject(Fault{Kind: FaultDropAfter, Method: "POST", Path: "/v1/orders"}) }, []string{
			`sandbox: fault "drop after POST /v1/orders" was declared and never happened (skip 0, times 1 left)`,
		}},
		{"a hook", false, func(s *Server) { s.Before("GET", "/v1/orders", func() {}) }, []string{`sandbox: the hook before "GET /v1/orders" never ran`}},
		{"a fault in a test that is skipped", true, func(s *Server) { s.Inject(Fault{Kind: FaultDropAfter}) }, nil},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			j := &judge{skipped: tt.skipped}
			tt.declare(Start(j, Options{}))
			for _, f := range j.cleanups {
				f()
			}
			wantSame(t, tt.want, j.errors, "errors")
		})
	}
}

func TestRequests_areRecordedWithTheKeyMasked(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	c.must("POST", "/customers?dry=1", object{"name": "A"})
	c.do("GET", "/customers/x", nil)
	(&client{t: t, s: c.s, key: "nobody"}).do("GET", "/customers", nil)

	first := c.s.Requests()[0]
	if first.Header.Get("X-Api-Key") != mask(c.key, visibleOfKey) || strings.Contains(fmt.Sprint(c.s.Requests()), c.key) {
		t.Errorf("the log holds key %q, want it masked", first.Header.Get("X-Api-Key"))
	}
	first.Header = nil
	want := Request{
		Method: "POST", Path: "/v1/customers", Query: map[string][]string{"dry": {"1"}}, Key: c.s.OwnerCompanyID(),
		Body: []byte(`{"name":"A"}`), Status: 200, At: noon,
	}
	wantSame(t, want, first, "record")
	if last, ok := c.s.Last("", ""); !ok || last.Key != "" || last.Status != http.StatusForbidden {
		t.Errorf("last = %+v, want a refused request of nobody", last)
	}
	for want, args := range map[int][2]string{3: {"", ""}, 2: {"GET", ""}, 1: {"GET", "/v1/customers/{id}"}, 0: {"PUT", "/v1/customers"}} {
		wantSame(t, want, c.s.Count(args[0], args[1]), "Count(%q, %q)", args[0], args[1])
	}
	c.s.ResetRequests()
	if _, ok := c.s.Last("", ""); ok || c.s.Count("", "") != 0 {
		t.Error("the log is not empty after ResetRequests")
	}
}

// control talks to the sandbox itself, without a key.
func (c *client) control(method, path, body string) got {
	c.t.Helper()
	return (&client{t: c.t, s: c.s}).exchange(method, strings.TrimSuffix(c.s.BaseURL(), "/v1")+path, body, nil)
}

// A site that a browser on this machine has open, or another machine, must neither read what was sent nor choose what
// becomes of an invoice.
func TestControl_isForThisMachineAlone(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{RateLimit: true})
	for name, tt := range rows.Read[map[string]struct {
		Method, Path, Body, From string
		Header                   http.Header
		Long                     bool // the body
		Want                     int
	}](t, "control_is_for_this_machine_alone.json") {
		if tt.Long {
			tt.Body = strings.Repeat(" ", maxControlBody+1)
		}
		r := httptest.NewRequestWithContext(t.Context(), tt.Method, "http://127.0.0.1:8080/_sandbox/"+tt.Path, strings.NewReader(tt.Body))
		r.RemoteAddr = "127.0.0.1:4321"
		if tt.From != "" {
			r.RemoteAddr = tt.From
		}
		r.Header.Set("Content-Type", "application/json")
		maps.Copy(r.Header, tt.Header)
		w := httptest.NewRecorder()
		c.s.ServeHTTP(w, r)
		expect.Is(t, w.Code, tt.Want, "%s %s", name, w.Body)
		wantSame(t, "", w.Header().Get("x-rate-limit-remaining"), "%s: remaining requests", name)
	}
	wantSame(t, 0, c.s.Count("", ""), "number of recorded requests")
}

func TestRecord_keepsTheNewestBodies(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	body := make([]byte, maxRequestBody)
	for range 5 {
		s.record(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/customers", nil), body)
	}
	kept := 0
	for _, r := range s.log {
		kept += len(r.Body)
	}
	if kept > maxRecorded || len(s.log[4].Body) == 0 || len(s.log) != 5 {
		t.Errorf("%d bytes of %d requests are kept", kept, len(s.log))
	}
}

func TestMask_showsFourCharacters(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]string{"": "", "abcd": "****", "abcdef": "abcd**"} {
		wantSame(t, want, mask(secret, visibleOfKey), "mask(%q)", secret)
	}
}

// The words of testdata are copied from the specification: each is there and, however it begins, read.
func TestWords_areThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	got := map[string][]string{}
	for _, enum := range Vocabulary() {
		got[enum.Name] = enum.Words
		for _, word := range enum.Words {
			var read einvoice.Enum
			if err := json.Unmarshal([]byte(strconv.Quote(strings.ToUpper(word[:1])+word[1:])), &read); err != nil || string(read) != word && enum.Name != "Webhook event" {
				t.Errorf("%s: %s is read as %s", enum.Name, word, read)
			}
			name := strings.TrimPrefix(enum.Name, "Invoice ")
			if invoiceEnums[name] == nil || name == "issueType" { // The service alone decides about issueType.
				continue
			}
			sent := body(product, object{name: word})
			for _, found := range fiscal.CheckPayload(modelProduct.name, sent, "", "") {
				if found.Code == "unknown_word" {
					t.Errorf("payload_check does not know %s of %s", word, name)
				}
			}
			if doc := c.do("POST", product, sent).doc; word != "devolution" { // That needs an origin.
				wantFields(t, doc, object{name: word})
			}
		}
	}
	wantSame(t, rows.Read[map[string][]string](t, "words_of_the_specification.json"), got, "words")
}

// The guide lists every word of the enumerations that attributes only give examples of.
func TestPayloadGuide_listsTheWordsOfTheSpecification(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/payloads.md")
	expect.NoError(t, err)
	for _, name := range []string{"printingType", "issueType", "purposeType", "debitType", "creditType"} {
		for _, word := range invoiceEnums[name] {
			if !strings.Contains(string(guide), "`"+word+"`") {
				t.Errorf("the guide does not say what %s is of %s", word, name)
			}
		}
	}
	expect.Contains(t, string(guide), "(presumed or real profit) need it. | the service takes that of the taxation group or of the nature of the operation, and `00` in the national environment |")
	for _, method := range paymentMethods {
		if !strings.Contains(string(guide), "`"+method+"`") {
			t.Errorf("the guide does not say the method %s", method)
		}
	}
}
