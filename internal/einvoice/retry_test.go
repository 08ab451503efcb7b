package einvoice

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

type outcome func(*http.Request) (*http.Response, error)

// said is an outcome as a table has it: a word of outcomes, or a status, headers and a body.
type said []string

func (s said) outcome() outcome {
	if o := outcomes[s[0]]; o != nil {
		return o
	}
	code, err := strconv.Atoi(s[0])
	if err != nil {
		panic("there is no outcome " + s[0])
	}
	body, headers := "", []string(nil)
	for _, line := range s[1:] {
		if header := isHeader.FindStringSubmatch(line); header != nil {
			headers = append(headers, header[1:]...)
		} else {
			body = line
		}
	}
	return status(code, body, headers...)
}

var isHeader = regexp.MustCompile(`^([\w-]+): (.*)$`)

func outcomesOf(list []said) (outcomes []outcome) {
	for _, s := range list {
		outcomes = append(outcomes, s.outcome())
	}
	return outcomes
}

// traced plays the part of a transport that reports how far it gets.
func traced(r *http.Request, connected bool) {
	trace := httptrace.ContextClientTrace(r.Context())
	trace.GetConn("host.example:443")
	if connected {
		trace.GotConn(httptrace.GotConnInfo{})
	}
}

func status(code int, body string, headers ...string) outcome {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		return reply(code, body, headers...), nil
	}
}

func failing(connected bool, err error) outcome {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, connected)
		return nil, err
	}
}

// silent never answers, and fails as a transport does when its context ends.
func silent(connected bool) outcome {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, connected)
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// reading answers with a body of this length, -1 for one that is not told.
func reading(length int64, body func(*http.Request) io.Reader) outcome {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		resp := reply(200, "")
		resp.ContentLength, resp.Body = length, io.NopCloser(body(r))
		return resp, nil
	}
}

var (
	failingReader = iotest.ErrReader(io.ErrUnexpectedEOF)
	errReset      = errors.New("connection reset by peer")
	errUntrusted  = fmt.Errorf("tls: %w", &tls.CertificateVerificationError{Err: errors.New("connection refused")})
	reset         = failing(true, errReset)
	refused       = failing(false, errors.New("connection refused"))
	brokenOff     = reading(-1, func(*http.Request) io.Reader {
		return io.MultiReader(strings.NewReader(`{"id":"1"`), failingReader)
	})
)

// outcomes are those of an exchange that no answer tells.
var outcomes = map[string]outcome{
	"closed": failing(true, io.EOF), "reset": reset, "refused": refused, "brokenOff": brokenOff, "silent": silent(true), "unconnected": silent(false),
	"untrusted": failing(false, errUntrusted),
	"untold":    func(*http.Request) (*http.Response, error) { return nil, errReset },
	"endless":   status(200, `"`+strings.Repeat("x", maxBody)+`"`),
	"large":     reading(maxBody+1, func(*http.Request) io.Reader { return failingReader }), // Nothing of it may be read.
	"stalled": reading(-1, func(r *http.Request) io.Reader { // A body that comes in part and then no further.
		return io.MultiReader(strings.NewReader(`{"id":`), stalled{r.Context()})
	}),
	"slow": func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		select {
		case <-time.After(5 * time.Second):
			return reply(200, `{"id":"1"}`), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	},
}

type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// played is a client whose exchanges have these outcomes, the last one for ever, and a count of them.
func played(t *testing.T, maxRetries int, outcomes ...outcome) (*Client, *int) {
	t.Helper()
	n := new(int)
	return wired(t, func(r *http.Request) (*http.Response, error) {
		o := outcomes[min(*n, len(outcomes)-1)]
		*n++
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		return o(r)
	}, func(cfg *Config) { cfg.MaxRetries = maxRetries }), n
}

// operations are one of each method, and the writes other than a POST that are not repeated.
var operations = map[string]func(context.Context, *Client) error{
	"GET":    func(ctx context.Context, c *Client) error { return errorOf(c.Invoice(ctx, ModelService, "1")) },
	"PUT":    func(ctx context.Context, c *Client) error { return errorOf(c.SetWebhookEnabled(ctx, "1", true)) },
	"DELETE": func(ctx context.Context, c *Client) error { return c.Delete(ctx, KindCustomer, "1") },
	"POST": func(ctx context.Context, c *Client) error {
		return errorOf(c.CreateInvoice(ctx, ModelService, []byte(`{}`), nil))
	},
	"CANCEL": func(ctx context.Context, c *Client) error {
		return errorOf(c.CancelInvoice(ctx, ModelService, "1", "a reason of some length", nil))
	},
	"ISSUE": func(ctx context.Context, c *Client) error {
		return errorOf(c.IssueInvoice(ctx, ModelService, "1", nil))
	},
	"APPROVE": func(ctx context.Context, c *Client) error {
		return errorOf(c.SetOrderStatus(ctx, "1", OrderApproved, nil))
	},
}

func TestRetry_byMethodAndFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name    string
		Failure said
		Retried string // methods
		Kind    string // of the error where it is not retried
	}](t, "retry_by_method_and_failure.json") {
		for method, operation := range operations {
			bubble(t, tt.Name+"/"+method, func(t *testing.T) {
				c, n := played(t, 2, tt.Failure.outcome(), status(200, `{"id":"1"}`))
				err := operation(t.Context(), c)
				if tt.Retried == "each" || strings.Contains(tt.Retried, method) {
					wantKind(t, err, "")
					expect.Is(t, *n, 2, "exchanges")
					return
				}
				wantKind(t, err, tt.Kind)
				if *n != 1 || failed(t, err).Attempts != 1 {
					t.Errorf("%d exchanges, %d attempts", *n, failed(t, err).Attempts)
				}
			})
		}
	}
}

// Each row is an operation, how its exchanges end, the last one for ever, and when its caller leaves. The clock starts at
// midnight UTC of 2000-01-01.
func TestExchanges_goAsTheirOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Does            string
		MaxRetries, Exchanges int
		Outcomes              []said
		Leaves, Took          *rows.Span
		Kind, Says, Lacks     string // of the error
		Attempts              *int
	}](t, "exchanges_go_as_their_outcomes.json") {
		bubble(t, tt.Name+"/"+tt.Does, func(t *testing.T) {
			c, n := played(t, tt.MaxRetries, outcomesOf(tt.Outcomes)...)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.Leaves != nil && *tt.Leaves == 0 {
				cancel()
			} else if tt.Leaves != nil {
				time.AfterFunc(time.Duration(*tt.Leaves), cancel)
			}
			begun := time.Now()
			err := operations[tt.Does](ctx, c)
			took, text := time.Since(begun), fmt.Sprint(err)
			wantKind(t, err, tt.Kind)
			expect.Is(t, *n, tt.Exchanges, "exchanges")
			if tt.Took != nil {
				expect.Is(t, took, time.Duration(*tt.Took), "it took")
			}
			if tt.Attempts != nil {
				expect.Is(t, failed(t, err).Attempts, *tt.Attempts, "attempts")
			}
			if !strings.Contains(text, tt.Says) || tt.Lacks != "" && strings.Contains(text, tt.Lacks) {
				t.Errorf("the text is %s", text)
			}
		})
	}
}

// A limit that lets nothing through is waited out for two minutes, however often
// requests may be repeated, and begins anew with each request that it lets through.
func TestRetry_ofA429IsBoundedByTime(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name         string
		Answer       said
		MaxRetries   int
		Progress     []rows.Span // when another request is let through
		Least, Most  rows.Span
		LeastAttempt int
	}](t, "retry_of_a_429_is_bounded_by_time.json") {
		bubble(t, tt.Name, func(t *testing.T) {
			c, _ := played(t, tt.MaxRetries, tt.Answer.outcome())
			c.http.Transport = switched(c.http.Transport, "/v1/customers/", status(200, `{"id":"1"}`))
			for _, at := range tt.Progress {
				time.AfterFunc(time.Duration(at), func() {
					if _, err := c.Customer(t.Context(), "1"); err != nil {
						t.Error(err)
					}
				})
			}
			begun := time.Now()
			err := operations["POST"](t.Context(), c)
			wantKind(t, err, "rate limited")
			took, attempts := time.Since(begun), failed(t, err).Attempts
			if took < time.Duration(tt.Least) || took > time.Duration(tt.Most) || attempts < tt.LeastAttempt {
				t.Errorf("it took %s and %d attempts", took, attempts)
			}
		})
	}
}

// switched answers the requests below a path in another way.
func switched(others http.RoundTripper, path string, o outcome) http.RoundTripper {
	return wire(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.URL.Path, path) {
			return o(r)
		}
		return others.RoundTrip(r)
	})
}

func TestRetry_backoffGrowsToItsBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := played(t, 5, status(503, ``), status(200, `{"id":"1"}`))
		begun := time.Now()
		must(t, operations["GET"](t.Context(), c))
		if took := time.Since(begun); took < backoffFirst/2 || took > backoffFirst {
			t.Errorf("a failed service that asks for nothing is left alone for %s", took)
		}
	})
	for repetition, most := range map[int]time.Duration{1: backoffFirst, 2: 2 * backoffFirst, 3: 4 * backoffFirst, 6: backoffMost, 20: backoffMost, 80: backoffMost} {
		for range 50 {
			if d := backoff(repetition); d < most/2 || d > most {
				t.Errorf("repetition %d waits %s, want %s to %s", repetition, d, most/2, most)
			}
		}
	}
}
