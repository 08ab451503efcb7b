// Package oncetest interrupts what must happen once between any two of its steps.
package oncetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// Patience of every run: twice what a request may take, as a session has it.
const (
	Patience       = 20 * time.Second
	requestTimeout = 10 * time.Second
)

// Happening is what happens before a step of a run.
type Happening int

// What may happen.
const (
	Nothing Happening = iota
	Killed            // the process is killed
	Stopped           // the process is stopped, and resumed after the patience
	Slow              // the step takes a few seconds
	Another           // another run begins and ends
)

func (h Happening) String() string {
	return [...]string{"nothing", "killed", "stopped", "slow", "another"}[h]
}

// Outage is what happens to a request that changes something.
type Outage int

// What may happen to a request.
const (
	None       Outage = iota
	Limited           // answered with 429 and a wait that is longer than the patience, while another run goes on
	LostBefore        // the connection is cut, and the request never arrives
	LostAfter         // the connection is cut after the request arrived
	LostLate          // the connection is cut, and the request takes effect seconds later
	Fails             // processed, and answered with 502
	Refused           // answered with 400
)

func (o Outage) String() string {
	return [...]string{"none", "limited", "lostBefore", "lostAfter", "lostLate", "fails", "refused"}[o]
}

// Draw draws what happens in one run: before its steps, and to its requests.
func Draw(t *rapid.T) (happenings []Happening, outages []Outage) {
	happenings = rapid.SliceOfN(rapid.SampledFrom([]Happening{Nothing, Nothing, Nothing, Nothing, Nothing, Another, Slow, Stopped, Killed}), 0, 12).Draw(t, "before the steps")
	outages = rapid.SliceOfN(rapid.SampledFrom([]Outage{None, None, Limited, LostBefore, LostAfter, LostLate, Fails, Refused}), 0, 3).Draw(t, "outages")
	return happenings, outages
}

// errKilled is what everything ends with after a kill.
var errKilled = errors.New("killed")

// Run is one run of a CLI. Each use of its journal and each exchange is a step.
type Run struct {
	Happenings []Happening
	Outages    []Outage // of the requests that change something, in turn
	Meanwhile  func()   // what Another does
	Serve      func(method, path string, body []byte) (status int, answer string)

	ctx  context.Context
	kill func()
	dead bool
	step int
}

// Begin returns the context of the run, its client and its way of doing things once.
func (r *Run) Begin(t testing.TB, store journal.Store) (context.Context, *einvoice.Client, *once.Journal) {
	t.Helper()
	r.ctx, r.kill = context.WithTimeout(context.Background(), time.Hour)
	client, err := einvoice.New(einvoice.Config{
		BaseURL: "https://service.example/v1", APIKey: "key", RequestTimeout: requestTimeout, MaxRetries: 3,
		Wrap: func(http.RoundTripper) http.RoundTripper { return r },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.ctx, client, &once.Journal{Store: steps{store, r}, Clock: poll.RealTime, Patience: Patience}
}

// End ends the run, and reports whether it got to its end.
func (r *Run) End() bool {
	r.before()
	r.kill()
	return !r.dead
}

// before is called before each step. After it the process may be dead.
func (r *Run) before() {
	happening := Nothing
	if r.step < len(r.Happenings) {
		happening = r.Happenings[r.step]
	}
	r.step++
	switch happening {
	case Killed:
		r.dead = true
		r.kill()
	case Stopped:
		<-time.After(3 * Patience)
	case Slow:
		<-time.After(requestTimeout / 2)
	case Another:
		r.Meanwhile()
	default:
	}
}

// RoundTrip answers one request, or loses it.
func (r *Run) RoundTrip(req *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(req.Context())
	trace.GetConn("service.example:443")
	r.before()
	if r.dead {
		return nil, errKilled
	}
	trace.GotConn(httptrace.GotConnInfo{})
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	outage := None
	if req.Method != http.MethodGet && len(r.Outages) > 0 {
		outage, r.Outages = r.Outages[0], r.Outages[1:]
	}
	serve := func() (status int, answer string) { return r.Serve(req.Method, req.URL.Path, body) }
	switch outage {
	case Limited:
		r.Meanwhile()
		return respond(http.StatusTooManyRequests, "", "Retry-After", "24"), nil
	case LostBefore:
		return nil, io.ErrUnexpectedEOF
	case LostAfter:
		serve()
		return nil, io.ErrUnexpectedEOF
	case LostLate:
		time.AfterFunc(4*time.Second, func() { serve() })
		return nil, io.ErrUnexpectedEOF
	case Fails:
		serve()
		return respond(http.StatusBadGateway, ""), nil
	case Refused:
		return respond(http.StatusBadRequest, `{"message":"not today"}`), nil
	default:
		return respond(serve()), nil
	}
}

func respond(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	if len(header) == 2 {
		h.Set(header[0], header[1])
	}
	return &http.Response{
		StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewReader([]byte(body))),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
}

// steps is the journal of a run.
type steps struct {
	journal.Store

	run *Run
}

func (s steps) Load(ctx context.Context, key journal.Key) (journal.Record, journal.Version, error) {
	if s.run.before(); s.run.dead {
		return journal.Record{}, 0, errKilled
	}
	return s.Store.Load(ctx, key)
}

func (s steps) Swap(ctx context.Context, key journal.Key, from journal.Version, to journal.Record) (journal.Version, error) {
	if s.run.before(); s.run.dead {
		return 0, errKilled
	}
	return s.Store.Swap(ctx, key, from, to)
}
