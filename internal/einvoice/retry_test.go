package einvoice

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
)

// The outcomes of an exchange that a scripted wire plays.
var (
	errReset   = errors.New("connection reset by peer")
	errRefused = errors.New("connection refused")
)

type outcome func(*http.Request) (*http.Response, error)

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

func refused(r *http.Request) (*http.Response, error) {
	traced(r, false)
	return nil, errRefused
}

func reset(r *http.Request) (*http.Response, error) {
	traced(r, true)
	return nil, errReset
}

// silent never answers, and fails as a transport does when its context ends.
func silent(connected bool) outcome {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, connected)
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// brokenOff answers half a body.
func brokenOff(r *http.Request) (*http.Response, error) {
	traced(r, true)
	resp := reply(200, "")
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"id":"1"`), failingReader{}))
	return resp, nil
}

// large says that more follows than is read, and nothing of it may be.
func large(r *http.Request) (*http.Response, error) {
	traced(r, true)
	resp := reply(200, "")
	resp.ContentLength, resp.Body = maxBody+1, io.NopCloser(failingReader{})
	return resp, nil
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

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

func TestError_saysThatTheConnectionWasClosed(t *testing.T) {
	t.Parallel()
	hungUp := func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		return nil, io.EOF
	}
	for _, o := range []outcome{brokenOff, hungUp} {
		c, _ := played(t, 0, o)
		err := operations["GET"](t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), "the connection was closed before the whole answer came") || strings.Contains(err.Error(), "EOF") {
			t.Errorf("the text is %v", err)
		}
	}
}

func TestRetry_byMethodAndFailure(t *testing.T) {
	t.Parallel()
	good := status(200, `{"id":"1"}`)
	always, never := "GET PUT DELETE POST CANCEL ISSUE APPROVE", ""
	repeatable := "GET PUT DELETE"
	for _, tt := range []struct {
		name    string
		failure outcome
		retried string // methods
		kind    string // of the error where it is not retried
	}{
		{"429", status(429, ``), always, ""},
		{"nothing was sent", refused, always, ""},
		{"no connection in time", silent(false), always, ""},
		{"a reset after sending began", reset, repeatable, "ambiguous"},
		{"no answer in time", silent(true), repeatable, "ambiguous"},
		{"a transport that tells nothing", func(*http.Request) (*http.Response, error) { return nil, errReset }, repeatable, "ambiguous"},
		{"500", status(500, ``), repeatable, "server, ambiguous"},
		{"503 with a time to wait", status(503, ``, "Retry-After", "1"), repeatable, "server, ambiguous"},
		{"504", status(504, ``), repeatable, "server, ambiguous"},
		{"a body that breaks off", brokenOff, repeatable, "bad answer, ambiguous"},
		{"garbage", status(200, `<html>`), never, "bad answer, ambiguous"},
		{"an answer without end", status(200, `"`+strings.Repeat("x", maxBody)+`"`), never, "bad answer, ambiguous"},
		{"an answer that says how large it is", large, never, "bad answer, ambiguous"},
		{"success: false", status(200, `{"success":false,"message":"no"}`), never, "not successful"},
		{"400", status(400, ``), never, "bad request"},
		{"401", status(401, ``), never, "unauthorized"},
		{"403", status(403, ``), never, "forbidden"},
		{"409", status(409, ``), never, "other"},
		{"422", status(422, ``), never, "bad request"},
		{"a certificate that does not hold", func(r *http.Request) (*http.Response, error) {
			traced(r, false)
			return nil, fmt.Errorf("tls: %w", &tls.CertificateVerificationError{Err: errRefused})
		}, never, "not sent"},
	} {
		for method, operation := range operations {
			bubble(t, tt.name+"/"+method, func(t *testing.T) {
				c, n := played(t, 2, tt.failure, good)
				err := operation(t.Context(), c)
				if strings.Contains(tt.retried, method) {
					if err != nil || *n != 2 {
						t.Fatalf("after %d exchanges: %v", *n, err)
					}
					return
				}
				if err == nil || *n != 1 {
					t.Fatalf("after %d exchanges: %v", *n, err)
				}
				wantKind(t, err, tt.kind)
				if failed(t, err).Attempts != 1 {
					t.Errorf("attempts %d", failed(t, err).Attempts)
				}
			})
		}
	}
}

func TestRetry_endsWithTheLastError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		method            string
		maxRetries, calls int
		outcomes          []outcome
		kind              string
	}{
		{"failures use up the retries", "GET", 3, 4, []outcome{status(503, ``)}, "server, ambiguous"},
		{"no retry at all", "GET", 0, 1, []outcome{status(503, ``)}, "server, ambiguous"},
		{"429s are not counted", "GET", 2, 6, []outcome{status(429, ``), status(429, ``), status(429, ``), status(500, ``)}, "server, ambiguous"},
		{"nothing sent at last", "POST", 2, 3, []outcome{refused}, "not sent"},
		{"an unknown outcome is not undone by a refusal", "DELETE", 2, 3, []outcome{status(502, ``), refused}, "ambiguous"},
		{"an unknown outcome is not undone by a 429", "DELETE", 1, 2, []outcome{reset, status(429, ``, "Retry-After", "1800")}, "rate limited, ambiguous"},
		{"a definite answer settles it", "PUT", 2, 2, []outcome{status(502, ``), status(400, ``)}, "bad request"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, n := played(t, tt.maxRetries, tt.outcomes...)
			err := operations[tt.method](t.Context(), c)
			if *n != tt.calls || failed(t, err).Attempts != tt.calls {
				t.Errorf("%d exchanges, %d attempts, want %d", *n, failed(t, err).Attempts, tt.calls)
			}
			wantKind(t, err, tt.kind)
		})
	}
}

func TestRetry_waitsAsLongAsTheServiceAsks(t *testing.T) {
	t.Parallel()
	// The clock of a synthetic test starts at midnight UTC of 2000-01-01.
	for _, tt := range []struct {
		name       string
		failure    outcome
		least, max time.Duration
	}{
		{"Retry-After in seconds", status(429, ``, "Retry-After", "7"), 7 * time.Second, 7 * time.Second},
		{"Retry-After as a date", status(429, ``, "Retry-After", "Sat, 01 Jan 2000 00:00:09 GMT"), 9 * time.Second, 9 * time.Second},
		{"Retry-After in the past", status(429, ``, "Retry-After", "Fri, 31 Dec 1999 00:00:09 GMT"), pace.PerSecondPause, pace.PerSecondPause},
		{"Retry-After before the window", status(429, ``, "Retry-After", "3", "x-rate-limit-remaining", "0", "x-rate-limit-reset", "2000-01-01T00:00:40Z"), 40020 * time.Millisecond, 40020 * time.Millisecond},
		{"the end of the window", status(429, ``, "x-rate-limit-remaining", "0", "x-rate-limit-reset", "2000-01-01T00:00:40.5Z"), 40520 * time.Millisecond, 40520 * time.Millisecond},
		{"the end of the window in seconds", status(429, ``, "x-rate-limit-reset", "946684840"), 40020 * time.Millisecond, 40020 * time.Millisecond},
		{"the end of the window in milliseconds", status(429, ``, "x-rate-limit-reset", "946684840250"), 40270 * time.Millisecond, 40270 * time.Millisecond},
		{"the end of the window without a zone", status(429, ``, "x-rate-limit-reset", "2000-01-01T00:00:05"), 5020 * time.Millisecond, 5020 * time.Millisecond},
		{"the window by the service's own clock", status(429, ``, "Date", "Sat, 01 Jan 2000 01:00:00 GMT", "x-rate-limit-remaining", "0", "x-rate-limit-reset", "2000-01-01T01:00:30Z"), 30020 * time.Millisecond, 30020 * time.Millisecond},
		{"requests are left, so it was the second", status(429, ``, "x-rate-limit-remaining", "3", "x-rate-limit-reset", "2000-01-01T00:00:40Z"), pace.PerSecondPause, pace.PerSecondPause},
		{"requests are left, so it is the endpoint", status(429, `{"retryAfterSeconds":20}`, "x-rate-limit-remaining", "3", "x-rate-limit-reset", "2000-01-01T00:00:40Z"), 20 * time.Second, 20 * time.Second},
		{"the body", status(429, `{"retryAfterSeconds":"4"}`), 4 * time.Second, 4 * time.Second},
		{"the next time in the body", status(429, `{"nextAllowedSyncAt":"1999-12-31T21:00:06-03:00"}`), 6 * time.Second, 6 * time.Second},
		{"the next time without a zone", status(429, `{"nextAllowedSyncAt":"1999-12-31T21:00:06"}`), 6 * time.Second, 6 * time.Second},
		{"the next time without a zone, in Amazonas", status(429, `{"nextAllowedSyncAt":"1999-12-31T20:00:06.5"}`), 6500 * time.Millisecond, 6500 * time.Millisecond},
		{"the next time without a zone, in Acre", status(429, `{"nextAllowedSyncAt":"1999-12-31T19:01"}`), time.Minute, time.Minute},
		{"the next time without a zone, by the service's own clock", status(429, `{"nextAllowedSyncAt":"1999-12-31T22:00:06"}`, "Date", "Sat, 01 Jan 2000 01:00:00 GMT"), 6 * time.Second, 6 * time.Second},
		{"the next time with a zone, in the past", status(429, `{"nextAllowedSyncAt":"1999-12-31T20:00:06-03:00"}`), pace.PerSecondPause, pace.PerSecondPause},
		{"the next time by the service's own clock", status(429, `{"nextAllowedSyncAt":"2000-01-01T01:00:06Z"}`, "Date", "Sat, 01 Jan 2000 01:00:00 GMT"), 6 * time.Second, 6 * time.Second},
		{"a window too far away, then the body", status(429, `{"retryAfterSeconds":4}`, "x-rate-limit-remaining", "0", "x-rate-limit-reset", "2000-01-01T00:10:00Z"), 4 * time.Second, 4 * time.Second},
		{"a window that has turned", status(429, ``, "x-rate-limit-remaining", "0", "x-rate-limit-reset", "1999-12-31T23:59:59Z"), pace.PerSecondPause, pace.PerSecondPause},
		{"nothing", status(429, ``), pace.PerSecondPause, pace.PerSecondPause},
		{"nonsense", status(429, `{"retryAfterSeconds":{}}`, "Retry-After", "soon", "x-rate-limit-reset", "tomorrow"), pace.PerSecondPause, pace.PerSecondPause},
		{"a failed service that asks", status(503, ``, "Retry-After", "5"), 5 * time.Second, 5 * time.Second},
		{"a failed service that does not", status(503, ``), backoffFirst / 2, backoffFirst},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, _ := played(t, 5, tt.failure, status(200, `{"id":"1"}`))
			begun := time.Now()
			must(t, operations["GET"](t.Context(), c))
			if took := time.Since(begun); took < tt.least || took > tt.max {
				t.Errorf("waited %s, want %s to %s", took, tt.least, tt.max)
			}
		})
	}
}

// A limit that lets nothing through is waited out for two minutes, however often
// requests may be repeated, and begins anew with each request that it lets through.
func TestRetry_ofA429IsBoundedByTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		answer       outcome
		maxRetries   int
		progress     []time.Duration // when another request is let through
		least, most  time.Duration
		leastAttempt int
	}{
		{"nothing is said", status(429, ``), 0, nil, 2 * time.Minute, 136 * time.Second, 10},
		{"the service asks for little", status(429, ``, "Retry-After", "1"), 1, nil, 2 * time.Minute, 121 * time.Second, 100},
		{"the service asks for a minute", status(429, ``, "Retry-After", "60"), 20, nil, 2 * time.Minute, 2 * time.Minute, 3},
		{"a window turns in more than two minutes", status(429, ``, "x-rate-limit-remaining", "0", "x-rate-limit-reset", "2000-01-01T00:03:20Z"), 20, nil, 0, 0, 1},
		{"others get on", status(429, ``, "Retry-After", "10"), 0, []time.Duration{115 * time.Second, 230 * time.Second}, 350 * time.Second, 360 * time.Second, 30},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, _ := played(t, tt.maxRetries, tt.answer)
			c.http.Transport = switched(c.http.Transport, "/v1/customers/", status(200, `{"id":"1"}`))
			for _, at := range tt.progress {
				time.AfterFunc(at, func() {
					if _, err := c.Customer(t.Context(), "1"); err != nil {
						t.Error(err)
					}
				})
			}
			begun := time.Now()
			err := operations["POST"](t.Context(), c)
			wantKind(t, err, "rate limited")
			if took := time.Since(begun); took < tt.least || took > tt.most || failed(t, err).Attempts < tt.leastAttempt {
				t.Errorf("it took %s and %d attempts", took, failed(t, err).Attempts)
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
	for repetition, most := range map[int]time.Duration{1: backoffFirst, 2: 2 * backoffFirst, 3: 4 * backoffFirst, 6: backoffMost, 20: backoffMost, 80: backoffMost} {
		for range 50 {
			if d := backoff(repetition); d < most/2 || d > most {
				t.Errorf("repetition %d waits %s, want %s to %s", repetition, d, most/2, most)
			}
		}
	}
}

func TestRetry_canceledCallerSendsNothing(t *testing.T) {
	t.Parallel()
	for method, operation := range operations {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			c, n := played(t, 5, status(200, `{"id":"1"}`))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := operation(ctx, c)
			if got := kinds(err); got != "not sent, canceled" || *n != 0 {
				t.Errorf("%v is %s after %d exchanges", err, got, *n)
			}
		})
	}
}

func TestExchange_onlyAPostOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	slow := func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		select {
		case <-time.After(5 * time.Second):
			return reply(200, `{"id":"1"}`), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	limited := status(429, ``, "Retry-After", "60")
	const left = 100 * time.Millisecond // when the caller leaves
	for _, tt := range []struct {
		name, method string
		outcome      outcome
		kind         string
		took         time.Duration
	}{
		{"an exchange", "POST", slow, "", 5 * time.Second},
		{"an exchange", "GET", slow, "ambiguous, canceled", left},
		{"an exchange", "PUT", slow, "ambiguous, canceled", left},
		{"an exchange", "DELETE", slow, "ambiguous, canceled", left},
		{"an exchange", "CANCEL", slow, "ambiguous, canceled", left},
		{"a wait for the limit", "POST", limited, "rate limited, not sent, canceled", left},
		{"a wait for the limit", "GET", limited, "rate limited, not sent, canceled", left},
		{"a wait before another attempt to connect", "POST", refused, "not sent, canceled", left},
		{"a wait after an unknown outcome", "DELETE", status(503, ``, "Retry-After", "60"), "server, ambiguous, canceled", left},
	} {
		bubble(t, tt.name+"/"+tt.method, func(t *testing.T) {
			c, n := played(t, 5, tt.outcome)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(left, cancel)
			begun := time.Now()
			err := operations[tt.method](ctx, c)
			wantKind(t, err, tt.kind)
			if *n != 1 || time.Since(begun) != tt.took {
				t.Errorf("%d exchanges in %s, want 1 in %s", *n, time.Since(begun), tt.took)
			}
		})
	}
}

// stalls is a body that comes in part and then no further.
type stalls struct {
	io.Reader
	ctx context.Context
}

func (s stalls) Read(b []byte) (int, error) {
	if n, err := s.Reader.Read(b); err == nil {
		return n, nil
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestExchange_aPostHasItsOwnDeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		outcome outcome
		kind    string
	}{
		{"for the answer", silent(true), "ambiguous"},
		{"for the whole of its body", func(r *http.Request) (*http.Response, error) {
			traced(r, true)
			resp := reply(200, "")
			resp.Body = io.NopCloser(stalls{strings.NewReader(`{"id":`), r.Context()})
			return resp, nil
		}, "bad answer, ambiguous"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, n := played(t, 5, tt.outcome)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(time.Second, cancel)
			begun := time.Now()
			err := operations["POST"](ctx, c)
			wantKind(t, err, tt.kind)
			if took := time.Since(begun); *n != 1 || took != defaultRequestTimeout {
				t.Errorf("%d exchanges in %s", *n, took)
			}
			if !strings.Contains(err.Error(), "no whole answer within 30s") {
				t.Errorf("the error does not say why: %v", err)
			}
		})
	}
}
