package oncetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// Patience of every run: twice what a request may take, as a session has it.
const (
	Patience       = 20 * time.Second
	requestTimeout = 10 * time.Second

	latency = 10 * time.Millisecond // of a request
)

var (
	errKilled = errors.New("killed")
	errStore  = errors.New("the store does not answer")
)

// Run is one run of a CLI. Each use of its journal and each exchange is a step.
type Run struct {
	Fate

	Beside  bool // it goes on between the steps of another run
	Number  int  // of the runs of a history, from 1
	Context context.Context
	Clock   poll.Clock // of its machine

	world  *World
	store  journal.Store
	serves http.RoundTripper // in place of the model; nil for none
	kill   func()
	paused pause // as the run beside another one
	beside *Run  // the last one between two steps of this one

	mu   sync.Mutex
	step int
	dead bool

	unrecorded bool // the store has failed
}

// pause hands the turn from one of two runs to the other.
type pause struct {
	resume, back chan struct{}
	ended        bool
}

// Begin returns the client of the run and its way of doing things once.
func (r *Run) Begin(store journal.Store) (*einvoice.Client, *once.Journal) {
	client, err := einvoice.New(einvoice.Config{
		BaseURL: "https://service.example/v1", APIKey: fmt.Sprint("key-", r.Key),
		RequestTimeout: requestTimeout, MaxRetries: 3,
		Wrap: func(http.RoundTripper) http.RoundTripper { return r },
	})
	if err != nil {
		panic(err)
	}
	r.store = store
	return client, &once.Journal{Store: r.Store(), Clock: r.Clock, Patience: Patience, Run: fmt.Sprint(r.Number)}
}

// Around returns the transport of the run to a service that loses requests by itself.
func (r *Run) Around(store journal.Store, service http.RoundTripper) http.RoundTripper {
	r.store, r.serves = store, service
	return r
}

// Store is the store of the run, as its machine's clock shows it.
func (r *Run) Store() journal.Store { return steps{r.store, r} }

// Saves reports whether the run got to its end, so that what it knows is in a state.
func (r *Run) Saves() bool { return r.before() != Killed }

// Recorded reports whether the store has answered all along.
func (r *Run) Recorded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.unrecorded
}

func (r *Run) noteUnrecorded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unrecorded = true
}

// end lets the run beside this one go on to its end.
func (r *Run) end() {
	for r.beside != nil && !r.beside.paused.ended {
		r.goOn(r.beside)
	}
	r.kill()
}

// before is called before each step. After it the process may be dead.
func (r *Run) before() (happening Happening) {
	r.mu.Lock()
	dead := r.dead
	if r.step < len(r.Before) {
		happening = r.Before[r.step]
	}
	r.step++
	r.dead = dead || happening == Killed
	r.mu.Unlock()
	if dead {
		return Killed
	}
	switch happening {
	case Killed:
		r.kill()
	case Stopped:
		<-time.After(3 * Patience)
	case Slow:
		<-time.After(requestTimeout / 2)
	case Another:
		r.another()
	default:
	}
	return happening
}

// another hands the turn to a run beside this one, which hands it back when it ends or
// when Another happens to it.
func (r *Run) another() {
	if r.Beside {
		r.paused.back <- struct{}{}
		<-r.paused.resume
		return
	}
	if r.beside != nil && !r.beside.paused.ended {
		r.goOn(r.beside)
		return
	}
	fate := Fate{Before: r.Meanwhile, Ahead: -r.Ahead}
	r.beside = r.world.newRun(fate, true)
	go func(beside *Run) {
		r.world.model.Run(beside, "")
		beside.end()
		beside.paused.ended = true
		beside.paused.back <- struct{}{}
	}(r.beside)
	<-r.beside.paused.back
}

func (r *Run) goOn(beside *Run) {
	beside.paused.resume <- struct{}{}
	<-beside.paused.back
}

// RoundTrip answers one request, or loses it.
func (r *Run) RoundTrip(req *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(req.Context())
	trace.GetConn("service.example:443")
	if r.before() == Killed {
		return nil, errKilled
	}
	outage := r.outage(req.Method)
	switch {
	case outage == Unreached:
		return nil, io.ErrUnexpectedEOF
	case outage != Limited && r.serves != nil:
		return r.serves.RoundTrip(req)
	}
	<-time.After(latency)
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
	serve := func() (status int, answer string) {
		r.world.mu.Lock()
		defer r.world.mu.Unlock()
		return r.world.model.Serve(r, req, body)
	}
	switch outage {
	case Limited:
		return respond(http.StatusTooManyRequests, "", "Retry-After", fmt.Sprint(r.Wait.Seconds())), nil
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
	case Conflicts:
		serve()
		return respond(http.StatusConflict, ""), nil
	case Unavailable:
		return respond(http.StatusServiceUnavailable, ""), nil
	case Refused:
		return respond(http.StatusBadRequest, `{"message":"not today"}`), nil
	default:
		return respond(serve()), nil
	}
}

// outage is what happens to the next request.
func (r *Run) outage(method string) (next Outage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if method != http.MethodGet && len(r.Outages) > 0 {
		next, r.Outages = r.Outages[0], r.Outages[1:]
	}
	return next
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

// steps is the journal of a run. It shows the times of the store as the clock of the
// run's machine would, which is what [journal.Store] asks for.
type steps struct {
	journal.Store

	run *Run
}

func (s steps) Load(ctx context.Context, key journal.Key) (journal.Record, journal.Version, error) {
	switch s.run.before() {
	case Killed:
		return journal.Record{}, 0, errKilled
	case Unstored, StoredUnseen:
		s.run.noteUnrecorded()
		return journal.Record{}, 0, errStore
	default:
	}
	record, version, err := s.Store.Load(ctx, key)
	if version != 0 {
		record.Stamp = record.Stamp.Add(s.run.Ahead)
	}
	return record, version, err
}

func (s steps) Swap(
	ctx context.Context, key journal.Key, from journal.Version, to journal.Record,
) (journal.Version, error) {
	happening := s.run.before()
	if happening == Killed {
		return 0, errKilled
	}
	if !to.Stamp.IsZero() {
		to.Stamp = to.Stamp.Add(-s.run.Ahead)
	}
	if happening == Unstored || happening == StoredUnseen {
		s.run.noteUnrecorded()
	}
	if happening == Unstored {
		return 0, errStore
	}
	version, err := s.Store.Swap(ctx, key, from, to)
	if happening == StoredUnseen {
		return 0, errStore
	}
	return version, err
}
