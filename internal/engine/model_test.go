package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// history is one sale, from its first apply to its end.
type history struct {
	Service habits
	Steps   []step
}

// act is what somebody does with the sale.
type act string

const (
	apply         act = ""
	destroy       act = "destroy"       // with a cancellation_reason
	loseState     act = "loseState"     // or: the same sale in another configuration
	loseCache     act = "loseCache"     // a fresh runner
	changeKey     act = "changeKey"     // of the same company
	applyTwice    act = "applyTwice"    // two runners at once, with a cache each
	importLast    act = "importLast"    // what was made last
	draftOfOthers act = "draftOfOthers" // is made by somebody else
)

// step is one act, and what happens at the service meanwhile.
type step struct {
	Act     act
	Content int  // of the payload, 0 to 3
	Draft   bool // `issue = false`
	Hurried bool // the timeout is over before the authority answers
	Verdict verdict
	Outages []outage // of the requests that change something, in turn
	After   rows.Span
	Apart   bool // of two runners, the second one begins when the first one has sent

	Fate      oncetest.Fate
	Elsewhere bool // the run beside it has a store of its own
}

// world is all that outlives a run.
type world struct {
	*oncetest.World

	service   *modelService
	step      step
	prior     *held    // what was in state before the step
	runner    [2]*held // the states after it of one runner or two
	errs      [2]error // that they ended with
	caches    [2]*oncetest.Memory
	beside    bool             // another run went on between two steps of this one
	disturbed atomic.Bool      // that happened, or the store has failed: what was planned need not hold
	state     *held            // nil for none
	cache     *oncetest.Memory // of the machine in use
	key       int
	reported  atomic.Bool // two invoices of the sale
	misled    bool        // one was adopted that does not show in what it differs
}

// held is what a state knows of the invoice.
type held struct {
	id, status string
	content    int
	issue      bool
	acted      bool // the last run did more than to read
	fixed      bool // its id was planned to stay
}

const saleName = "Sale-1 "

// run is one plan and apply, as the resource does it. It returns the state after it
// and what a user is told of a failure.
func (w *world) run(r *oncetest.Run, s step, state *held, cache journal.Store) (*held, error) {
	patience := 10 * time.Minute
	if s.Hurried {
		patience = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(r.Context, patience)
	defer cancel()
	p := &process{modelService: w.service, content: s.Content, kill: cancel}
	i := &Issuing{
		Service: Service{
			Client: client(fmt.Sprintf("key-%d", w.key+r.Key), r.Around(cache, p)), Patience: oncetest.Patience, Clock: r.Clock,
			Store: r.Store(), Owner: "the issuer", // A key that is replaced is that of the same company.
		},
		Want: Want{Issue: !s.Draft}, Model: einvoice.ModelService, IntegrationID: saleName,
		Payload: json.RawMessage(fmt.Sprintf(`{"description":%d,"federalServiceCode":"17.01","total":{"invoiceAmount":%d}}`, s.Content, amountOf(s.Content))),
	}
	foretold := unforetold
	next, err := refreshed(ctx, i, state)
	if err == nil && s.Act == destroy {
		next, err = destroyed(ctx, i, next)
	} else if err == nil {
		foretold = w.foretold(ctx, i, s, next)
		next, err = applied(ctx, i, next, s.Content)
	}
	if p := (*Problem)(nil); errors.As(err, &p) && p.Kind == Several {
		w.reported.Store(true)
	}
	if !r.Saves() || p.dead || slices.Contains(s.Outages, killedAtEnd) {
		return state, errKilled // What it knew is gone with it.
	}
	if !r.Recorded() {
		w.disturbed.Store(true)
	}
	if wrong := foretold(next, err); wrong != nil && !w.disturbed.Load() {
		return next, fmt.Errorf("%w: %w", errForetold, wrong)
	}
	return next, err
}

var (
	errKilled  = errors.New("killed")
	errRefused = errors.New("refused while planning")
	errMoved   = errors.New("the id that was planned to stay is another one")

	errForetold = errors.New("the look said otherwise")
)

// refreshed reads what is in state.
func refreshed(ctx context.Context, i *Issuing, state *held) (*held, error) {
	if state == nil {
		return nil, nil
	}
	now := *state
	now.acted = false
	v, err := i.Client.Invoice(ctx, i.Model, state.id)
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		now.status = einvoice.StatusRemoved
	case err != nil:
		return state, err
	default:
		now.status = string(v.Status)
	}
	return &now, nil
}

// planned tells what an update in place does.
func planned(i *Issuing, state *held, content int) (sends bool, err error) {
	correctable := state.status == "created" || state.status == "rejected"
	sent, elsewhere := false, false
	if i.Store != nil {
		sent, elsewhere = i.Pending(context.Background(), state.id)
	}
	state.fixed = content == state.content && !elsewhere
	switch {
	case content != state.content && !correctable && sent:
		return true, nil
	case content != state.content && !correctable, !i.Issue && state.issue && state.status != "created":
		return false, errRefused
	case content != state.content:
		return true, nil
	}
	return i.Issue && (state.status == "created" || state.status == "enqueued" || state.status == "received"), nil
}

func applied(ctx context.Context, i *Issuing, state *held, content int) (*held, error) {
	var v *einvoice.Invoice
	var err error
	if state == nil {
		v, err = i.Create(ctx)
	} else {
		sends, refused := planned(i, state, content)
		if refused != nil || !sends {
			state.issue = i.Issue
			return state, refused
		}
		v, err = i.Update(ctx, state.id, content != state.content)
	}
	switch {
	case err != nil && (v == nil || state == nil):
		return state, err
	case err != nil && IsCorrectable(v):
		content = state.content // It is to be sent again.
	}
	if state != nil && state.fixed && state.id != string(v.ID) {
		return state, errMoved
	}
	return &held{id: string(v.ID), status: string(v.Status), content: content, issue: i.Issue, acted: true}, err
}

func destroyed(ctx context.Context, i *Issuing, state *held) (*held, error) {
	if state == nil {
		return nil, nil
	}
	if _, err := i.Cancel(ctx, state.id, "Ordered twice by mistake", ""); err != nil {
		return state, err
	}
	return nil, nil
}

// Run is the run of one runner or of one of two, or that of another machine beside it,
// which has the same state.
func (w *world) Run(r *oncetest.Run, runner string) {
	if r.Beside {
		w.beside = true
		w.disturbed.Store(true)
		cache := w.caches[0]
		if w.step.Elsewhere {
			cache = &oncetest.Memory{}
		}
		_, _ = w.run(r, w.step, clone(w.prior), cache)
		return
	}
	n := len(runner)
	w.runner[n], w.errs[n] = w.run(r, w.step, clone(w.prior), w.caches[n])
}

func clone(state *held) *held {
	if state == nil {
		return nil
	}
	copied := *state
	return &copied
}

// apply is a step of one runner.
func (w *world) apply(s step) error {
	w.step, w.prior, w.caches[0] = s, w.state, w.cache
	w.World.Run(s.Fate, "")
	w.state = w.runner[0]
	return w.errs[0]
}

// The rest of [oncetest.Model] is here for itself: play knows more.
func (w *world) Serve(*oncetest.Run, *http.Request, []byte) (int, string) { panic("it has a service") }
func (w *world) Wrong() error                                             { return nil }
func (w *world) Settle() error                                            { return nil }

// play lives through a history, and returns what is wrong with it.
func (h history) play() (wrong error) {
	w := &world{service: &modelService{habits: h.Service}, cache: &oncetest.Memory{}}
	w.World = oncetest.NewWorld(nil, w)
	alone := true // everything was done on one machine, one after the other
	last := step{}
	for n, s := range h.Steps {
		<-time.After(time.Duration(s.After))
		w.service.theirs = n == 1 && w.service.theirs && !w.service.hidesSome()
		w.service.verdict, w.service.outages = s.Verdict, s.Outages
		before := len(w.service.documents)
		var err error
		switch s.Act {
		case loseState:
			w.state = nil
			continue
		case loseCache:
			w.cache = &oncetest.Memory{}
			alone = false
			continue
		case changeKey:
			w.key++
			continue
		case importLast:
			if n := len(w.service.documents); n > 0 {
				d := w.service.documents[n-1]
				w.state = &held{id: d.id, status: d.status, content: d.content, issue: d.status != "created"}
			}
			continue
		case draftOfOthers:
			w.service.theirs = n == 0
			w.service.drafted(s.Content)
			alone = false
			continue
		case applyTwice:
			alone = false
			one := len(w.service.live()) <= 1
			err = w.twice(s)
			last = s
			if live := w.service.live(); s.Apart && one && len(live) > 1 && h.Service.ListLag+h.Service.ListStale+h.Service.ReadLag == 0 {
				return fmt.Errorf("step %d: the second runner did not see what the first one had made: %s", n, w.service.all())
			}
		default:
			err = w.apply(s)
			if s.Act == apply {
				last = s
			}
			alone = alone && !(w.beside && s.Elsewhere)
		}
		if wrong := w.check(alone, err, len(w.service.documents) > before); wrong != nil {
			return fmt.Errorf("step %d: %w", n, wrong)
		}
		if w.beside = false; err == nil && s.Act == apply && !w.disturbed.Load() {
			if wrong := w.repeated(s, alone); wrong != nil {
				return fmt.Errorf("step %d: %w", n, wrong)
			}
		}
	}
	w.service.theirs = false
	return w.settled(last, alone)
}

// twice applies on two machines, at the same moment or in the same minute.
func (w *world) twice(s step) error {
	var both sync.WaitGroup
	w.step, w.prior = s, w.state
	apart := latency / 2
	if s.Apart {
		apart = 7 * time.Second
	}
	for n := range 2 {
		w.cache = &oncetest.Memory{}
		w.caches[n] = w.cache
		both.Go(func() {
			<-time.After(time.Duration(n) * apart)
			w.World.Run(oncetest.Fate{}, "1"[:n])
		})
	}
	both.Wait()
	w.state = w.runner[0]
	if w.errs[0] != nil && w.errs[1] == nil {
		w.state = w.runner[1]
	}
	return errors.Join(w.errs[:]...)
}

// check holds what must be true after every run.
func (w *world) check(alone bool, err error, sent bool) error {
	if errors.Is(err, errForetold) {
		return err
	}
	s := w.service
	s.pass()
	live := s.live()
	switch {
	case len(live) > 1 && (alone || s.ListLag+s.ListStale+s.ReadLag == 0 && !w.reported.Load() && sent && err == nil):
		return fmt.Errorf("%d live invoices for one sale: %s", len(live), s.all())
	case alone && !w.disturbed.Load() && errors.Is(err, errMoved):
		return err
	case len(s.wrong) > 0 && (alone || strings.Contains(s.wrong[0], "somebody else")):
		return fmt.Errorf("%s: %s", s.wrong[0], s.all())
	case w.state != nil && s.find(w.state.id) == nil:
		return fmt.Errorf("the state has %s, which does not exist", w.state.id)
	}
	return nil
}

// repeated holds what a plan after a run that ended well says.
func (w *world) repeated(s step, alone bool) error {
	if w.state == nil {
		return errors.New("a run ended well and left no state")
	}
	made := w.service.find(w.state.id).content
	if alone && w.state.acted && amountOf(made) != amountOf(s.Content) {
		return fmt.Errorf("a run ended well with another content: %s", w.service.all())
	}
	w.misled = made != s.Content
	i := &Issuing{Want: Want{Issue: !s.Draft}}
	if sends, err := planned(i, w.state, s.Content); sends || err != nil {
		return fmt.Errorf("the plan after a run that ended well is not empty: %+v, %w", *w.state, err)
	}
	return nil
}

// settled brings the sale to its end: nothing disturbs any more.
func (w *world) settled(last step, alone bool) error {
	<-time.After(2 * time.Hour)
	last.Act, last.Hurried, last.Outages, last.Verdict, last.Fate = apply, false, nil, authorizes, oncetest.Fate{}
	var err error
	for range 4 {
		w.service.verdict, w.service.outages = authorizes, nil
		before := len(w.service.documents)
		err = w.apply(last)
		if wrong := w.check(alone, err, len(w.service.documents) > before); wrong != nil {
			return fmt.Errorf("at the end: %w", wrong)
		}
		var p *Problem
		switch {
		case err == nil && w.disturbed.Load():
			return nil
		case err == nil:
			return w.repeated(last, alone)
		case errors.Is(err, errRefused) && alone && !w.disturbed.Load() && !w.misled && !last.Draft && w.certain(last.Content):
			return fmt.Errorf("the plan refuses what is there already: %s", w.service.all())
		case errors.Is(err, errRefused), errors.Is(err, errMoved):
			return nil
		case errors.As(err, &p) && (p.Kind == Ended || p.Kind == Another || p.Kind == Several || p.Kind == Settled || p.Kind == NotADraft):
			return nil
		case kindOf(err) == OthersDraft && (!alone || w.disturbed.Load()):
			return nil
		}
	}
	return fmt.Errorf("the sale does not come to an end: %w, %s", err, w.service.all())
}

// certain tells that what is in state was made of the content, and that a run could
// know it: of one that was rejected wrongly nobody knows what the authority holds.
func (w *world) certain(content int) bool {
	d := w.service.find(w.state.id)
	return d.content == content && d.verdict != rejectsWrongly
}

func (s *modelService) all() string {
	text := ""
	for _, d := range s.documents {
		text += fmt.Sprintf("[%s %s content %d] ", d.id[len(d.id)-1:], d.status, d.content)
	}
	return text
}

// histories draws a history. What is drawn first is what rapid simplifies first.
var histories = rapid.Custom(func(t *rapid.T) history {
	seconds := func(of ...int) *rapid.Generator[rows.Span] {
		return rapid.Map(rapid.SampledFrom(of), func(n int) rows.Span { return rows.Span(n) * rows.Span(time.Second) })
	}
	one := rapid.Custom(func(t *rapid.T) step {
		s := step{
			Act:     rapid.SampledFrom([]act{apply, apply, apply, apply, apply, destroy, loseState, loseCache, changeKey, applyTwice, importLast, draftOfOthers}).Draw(t, "act"),
			Content: rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "content"),
			Draft:   rapid.SampledFrom([]bool{false, false, true}).Draw(t, "draft"),
			Hurried: rapid.SampledFrom([]bool{false, false, true}).Draw(t, "hurried"),
			Verdict: rapid.SampledFrom([]verdict{authorizes, authorizesSlowly, rejects, rejects, denies, stays, staysLong, rejectsWrongly}).Draw(t, "verdict"),
			Outages: rapid.SliceOfN(rapid.SampledFrom([]outage{none, lostBefore, lostAfter, failsBefore, failsAfter, killedBefore, killedAfter, killedLater, refuses, killedAtEnd, conflictsAfter}), 0, 4).Draw(t, "outages"),
			After:   seconds(0, 0, 1, 5, 30, 120).Draw(t, "after"),
			Apart:   rapid.Bool().Draw(t, "apart"),
		}
		if rapid.Bool().Draw(t, "disturbed") {
			s.Fate, s.Elsewhere = oncetest.Fates.Draw(t, "fate"), rapid.Bool().Draw(t, "elsewhere")
		}
		return s
	})
	return history{
		Service: habits{
			Merges:     rapid.Bool().Draw(t, "merges"),
			ListLag:    seconds(0, 0, 3, 15).Draw(t, "lag"),
			ListStale:  seconds(0, 0, 10).Draw(t, "stale list"),
			ReadLag:    seconds(0, 0, 2, 10).Draw(t, "read lag"),
			IgnoresKey: rapid.Bool().Draw(t, "ignores the filter"),
			Spelling:   rapid.SampledFrom([]spelling{asSent, upperCase, trimmed}).Draw(t, "spelling"),
			Bare:       rapid.Bool().Draw(t, "bare answers"),
		},
		Steps: rapid.SliceOfN(one, 1, 8).Draw(t, "steps"),
	}
})

// inBubble plays a history on a clock of its own.
func inBubble[H interface{ play() error }](t *testing.T, h H) (wrong error) {
	synctest.Test(t, func(*testing.T) { wrong = h.play() })
	return wrong
}

// search looks for a history in which something is wrong.
func search[H interface{ play() error }](t *testing.T, histories *rapid.Generator[H]) {
	t.Helper()
	for n := range oncetest.Searches() {
		rows.Case(t, fmt.Sprint(n), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				h := histories.Draw(r, "history")
				if wrong := inBubble(t, h); wrong != nil {
					r.Fatalf("%v\n%+v", wrong, h)
				}
			})
		})
	}
}

// Histories that TestModel found a defect with.
func TestModel_onceFound(t *testing.T) {
	t.Parallel()
	for _, found := range rows.Read[[]struct {
		Row string
		history
	}](t, "model_found.json") {
		rows.Case(t, found.Row, func(t *testing.T) {
			if wrong := inBubble(t, found.history); wrong != nil {
				t.Error(wrong)
			}
		})
	}
}

// TestModel looks for a history in which one sale becomes two documents, is issued
// with another content, is sent after its end, or never ends.
func TestModel(t *testing.T) {
	t.Parallel()
	search(t, histories)
}

// modelOrders is one sale by an order.
type modelOrders struct {
	modelSales

	state  string // the id that a state has; "" for none
	failed error  // what the last run ended with
}

// Run brings the sale to its end, from a state or without one, or loses the state. A run
// beside another one has none.
func (w *modelOrders) Run(r *oncetest.Run, act string) {
	if act == "lose" {
		w.state = ""
		return
	}
	ctx, cancel, service := w.begin(r)
	defer cancel()
	o := &Ordering{
		Service: service,
		Wanted:  einvoice.Order{TransactionID: "t-1", AutoIssueMode: einvoice.Enum(w.mode), Status: "created"}, Waits: true,
		Issue: w.mode == einvoice.IssueDisabled, IssueNow: w.mode == einvoice.IssueDisabled,
	}
	if w.mode == einvoice.IssueAfterPayment {
		o.Status = einvoice.OrderApproved
	}
	var order *einvoice.Order
	var err error
	if w.state != "" && !r.Beside {
		order, err = o.Update(ctx, w.state)
	} else {
		order, err = o.Create(ctx)
	}
	if w.failed = err; r.Saves() && err == nil {
		w.state = string(order.ID)
	}
}

func (w *modelOrders) Wrong() error {
	if len(w.orders) > 1 || len(w.sales) > 1 {
		return fmt.Errorf("%d orders and %d invoices for one sale", len(w.orders), len(w.sales))
	}
	return nil
}

func (w *modelOrders) Settle() error {
	for range 3 {
		if w.World.Run(oncetest.Fate{}, "apply"); w.failed == nil {
			break
		}
	}
	switch {
	case w.failed != nil:
		return fmt.Errorf("the order does not come to an end: %w", w.failed)
	case len(w.orders) != 1 || len(w.sales) != 1 || w.sales[0].status() != einvoice.StatusAuthorized:
		return errors.New("there is no authorized invoice at the end")
	}
	return nil
}

// There is one order for a sale, and one invoice for that.
func TestModel_ordersOnce(t *testing.T) {
	t.Parallel()
	modes := []string{einvoice.IssueImmediately, einvoice.IssueAfterPayment, einvoice.IssueDisabled}
	oncetest.Play(t, []string{"apply", "apply", "lose"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		service := modelSales{
			mode: rapid.SampledFrom(modes).Draw(t, "mode"), rejects: rapid.Bool().Draw(t, "rejects"),
			answersInvoice: rapid.Bool().Draw(t, "answers the invoice"),
			listLag:        oncetest.Seconds(0, 0, 3, 10).Draw(t, "list lag"), lag: oncetest.Seconds(0, 0, 3).Draw(t, "lag"),
		}
		return func(w *oncetest.World) oncetest.Model {
			begun := &modelOrders{modelSales: service}
			begun.World = w
			return begun
		}
	})
}

// Histories that TestModel_ordersOnce found a defect with: the order was approved or issued, and before that shows the
// run is killed and the key replaced, or another run goes on beside it.
func TestModel_ordersOnceFound(t *testing.T) {
	t.Parallel()
	for happening, then := range map[oncetest.Happening][]oncetest.Step{
		oncetest.Killed: {{Act: "apply", Fate: oncetest.Fate{Key: 1}}}, oncetest.Another: nil,
	} {
		for _, mode := range []string{einvoice.IssueAfterPayment, einvoice.IssueDisabled} {
			for step := range 16 {
				rows.Case(t, fmt.Sprintf("%s, %s before step %d", mode, happening, step), func(t *testing.T) {
					fate := oncetest.Fate{Before: append(make([]oncetest.Happening, step), happening)}
					wantOneOrder(t, mode, 3*time.Second, append([]oncetest.Step{{Act: "apply", Fate: fate}}, then...)...)
				})
			}
		}
	}
}

// However late an order shows what it was asked to issue, it is asked once.
func TestOrdering_issueThatWasAnsweredIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	wantOneOrder(t, einvoice.IssueDisabled, 12*time.Minute, oncetest.Step{Act: "apply"},
		oncetest.Step{Act: "apply", After: time.Minute}, oncetest.Step{Act: "apply", After: time.Minute, Fate: oncetest.Fate{Key: 1}})
}

// wantOneOrder plays a history at a service whose orders show late what was done with them.
func wantOneOrder(t *testing.T, mode string, lag time.Duration, history ...oncetest.Step) {
	t.Helper()
	begin := func(w *oncetest.World) oncetest.Model {
		return &modelOrders{modelSales: modelSales{World: w, mode: mode, lag: lag}}
	}
	expect.NoError(t, oncetest.Replay(t, begin, history))
}
