package einvoice

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

const testKey = "key-0123456789-abcdef"

// exchange is one request that a test expects and the answer it gets.
type exchange struct {
	method, path string // path with its query, as on the request line
	body         string // exact; "" is no body at all
	status       int    // 200 when 0
	header       map[string]string
	answer       string
	serve        http.HandlerFunc // instead of status, header and answer
}

// answering is the exchange with this answer.
func (e exchange) answering(status int, answer string) exchange {
	e.status, e.answer = status, answer
	return e
}

// service answers a script, and fails the test for every deviation from it.
type service struct {
	t      *testing.T
	server *httptest.Server

	mu     sync.Mutex
	script []exchange
	served int
}

func newService(t *testing.T, script ...exchange) *service {
	t.Helper()
	s := &service{t: t, script: script}
	s.server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.server.Close()
		expect.Is(t, s.served, len(s.script), "of expected requests came")
	})
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.served >= len(s.script) {
		s.mu.Unlock()
		s.t.Errorf("unexpected request %s %s", r.Method, r.RequestURI)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	want := s.script[s.served]
	s.served++
	s.mu.Unlock()

	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("reading the body: %v", err)
	}
	if r.Method != want.method || r.RequestURI != want.path {
		s.t.Errorf("request %s %s, want %s %s", r.Method, r.RequestURI, want.method, want.path)
	}
	if string(body) != want.body {
		s.t.Errorf("%s %s has the body %s, want %s", r.Method, r.RequestURI, body, want.body)
	}
	for name, value := range map[string]string{"X-Api-Key": testKey, "User-Agent": "test/1.0"} {
		if got := r.Header.Get(name); got != value {
			s.t.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
	if accept := r.Header.Get("Accept"); !strings.HasPrefix(accept, "application/json") {
		s.t.Errorf("header Accept is %q", accept)
	}
	if got, want := r.Header.Get("Content-Type"), map[bool]string{true: "application/json"}[want.body != ""]; got != want {
		s.t.Errorf("%s %s has Content-Type %q, want %q", r.Method, r.RequestURI, got, want)
	}
	if want.serve != nil {
		want.serve(w, r)
		return
	}
	for name, value := range want.header {
		w.Header().Set(name, value)
	}
	if want.status != 0 {
		w.WriteHeader(want.status)
	}
	_, _ = io.WriteString(w, want.answer)
}

// client returns a client of the scripted service, without retries and pacing unless change says otherwise.
func (s *service) client(change ...func(*Config)) *Client {
	s.t.Helper()
	cfg := Config{BaseURL: s.server.URL + "/v1/", APIKey: testKey, UserAgent: "test/1.0"}
	for _, f := range change {
		f(&cfg)
	}
	return mustClient(s.t, cfg)
}

// operation is a row of a table: what is done at a service that answers a script, and what comes of it.
type operation[T any] struct {
	name   string
	do     func(*Client) (T, error)
	script []exchange
	want   T
	kind   string // of the error
}

func runOperations[T any](t *testing.T, rows []operation[T]) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := row.do(newService(t, row.script...).client())
			wantKind(t, err, row.kind)
			wantSame(t, row.want, got)
		})
	}
}

// answered is a row of a table of the answers to one request.
type answered[T any] struct {
	name   string
	status int
	answer string
	want   T
	kind   string // of the error
}

// runAnswers does the same thing for each row, and expects the same request.
func runAnswers[T any](t *testing.T, request exchange, do func(*Client) (T, error), rows []answered[T]) {
	t.Helper()
	operations := make([]operation[T], 0, len(rows))
	for _, row := range rows {
		operations = append(operations, operation[T]{row.name, do, []exchange{request.answering(row.status, row.answer)}, row.want, row.kind})
	}
	runOperations(t, operations)
}

// nothing is the result of an operation that returns an error alone.
func nothing(do func(*Client) error) func(*Client) (any, error) {
	return func(c *Client) (any, error) { return nil, do(c) }
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
	t.Run(name, func(t *testing.T) {
		t.Parallel()
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

// wantSame fails the test for every difference.
func wantSame(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMain fails when a test leaves a goroutine behind: a request that has ended,
// whichever way, has closed its connection and stopped its clocks.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
