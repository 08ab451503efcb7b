package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// attempt is what one run knows of itself, of an invoice and of an order alike. Each adds
// its key, how it looks, how it sends, and what counts as the same.
type attempt struct {
	Notes []Event // what is worth a warning after the run, however it ended

	sent        bool            // it has sent the invoice or the order
	lost        error           // why the last request had no usable answer
	repetitions int             // how often the invoice or order was sent after the first time
	order       *einvoice.Order // as last seen
	unreadable  error           // of an order that the service neither reads nor lists; nil where it does
	unseen      []string        // the models whose invoices no list shows then
	unlisted    error           // of a list that the service does not have; nil where it has one
	endTurn     func()          // lets others send that do not know whose the key is; nil outside a turn
}

// do makes something happen once, and makes a problem of whatever ends it.
func (a *attempt) do(ctx context.Context, s *Service, key journal.Key, act func(context.Context, *once.Turn) error) error {
	a.lost = nil
	err := s.Once().Do(ctx, key, func(ctx context.Context, t *once.Turn) error {
		err := act(ctx, t)
		a.noteUnkept(t)
		return err
	})
	if err == nil {
		return nil
	}
	return a.stopped(cmp.Or(a.lost, err), err)
}

// stopped hands a problem on, and makes one of what else has ended a run: of the store, or
// cause, after which nobody knows what became of it.
func (a *attempt) stopped(cause, err error) error {
	switch {
	case problemsOf(err) != nil:
		return err
	case errors.As(err, new(*once.StoreError)):
		return a.problem(Unrecorded, err)
	}
	return a.problem(Interrupted, cause)
}

// noteUnkept notes once that what the journal knows ends with this process.
func (a *attempt) noteUnkept(t *once.Turn) {
	noted := slices.ContainsFunc(a.Notes, func(e Event) bool { return e.Kind == JournalUnwritable })
	if t.Unkept != nil && !noted {
		a.Notes = append(a.Notes, Event{Kind: JournalUnwritable, Err: t.Unkept})
	}
}

// request is one that must happen once.
type request struct {
	name    Request
	content string        // a digest of what is sent
	of      einvoice.Text // the id of what it is sent to; "" for something new
	models  []string      // of the invoices that it may issue
}

// unusableError is of an answer that does not say what became of the request.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// send sends a request once, and settles the record with the id that exchange returns.
// Where the service refuses, the record is as it was. Where the answer is lost it returns
// [once.ErrUnproven]: the next turn looks what came of it.
func (a *attempt) send(ctx context.Context, s *Service, t *once.Turn, r request, exchange func(*einvoice.Client) (einvoice.Text, error)) error {
	if err := a.takeTurn(ctx, s, r.models); err != nil {
		return err
	}
	before := t.Known
	id, err := exchange(s.Client.Beginning(t.Sending(r.content, string(r.of))))
	if once.IsUnsent(err) {
		return err
	}
	if a.lost = nil; r.of == "" {
		if a.sent {
			a.repetitions++
		}
		a.sent = true
	}
	switch {
	case err == nil:
		t.Settle(ctx, string(id))
		return nil
	case !errors.Is(err, einvoice.ErrAmbiguous) && !errors.As(err, new(unusableError)):
		t.Keep(ctx, before) // The next run must not wait for what cannot appear.
		return a.failed(ctx, r.name, err)
	}
	a.lost = err
	if ctx.Err() != nil {
		return a.problem(Interrupted, err)
	}
	return once.ErrUnproven
}

// isMixedUp reports whether a run has ended because the service answered with another
// sale's. Then the record says that nobody knows what became of this one.
func (a *attempt) isMixedUp(ctx context.Context, s *Service, key journal.Key, err error) bool {
	problems := problemsOf(err)
	if !a.sent || len(problems) != 1 || problems[0].Kind != Misnamed {
		return false
	}
	if t, err := s.Once().Load(ctx, key); err == nil {
		next := t.Known
		next.Phase, next.Result, next.Stamp = journal.Sending, "", time.Time{}
		t.Keep(ctx, next)
	}
	return true
}

// takeTurn makes sure, before anything is sent that issues, that invoices of the models may
// be issued, and that the key is not known to be another company's. It has one sale go
// first until somebody knows.
func (a *attempt) takeTurn(ctx context.Context, s *Service, models []string) (err error) {
	if err := s.Environments.fits(ctx, models); err != nil {
		return err
	}
	a.leaveTurn() // Of what was sent before.
	if a.endTurn, err = s.Admit(ctx); err == nil || problemsOf(err) != nil {
		return err
	}
	return a.failed(ctx, Identify, err)
}

func (a *attempt) leaveTurn() {
	if a.endTurn != nil {
		a.endTurn()
	}
}

// canceling is the content of a record while a cancellation is on its way.
const canceling = "canceling"

// holding is what an object of a state has: the id of an invoice or an order.
type holding struct {
	holder string // names the object
	id     einvoice.Text
}

// take has the journal know which object has it. confirmed lets the record forget the
// payload of an invoice that was created and cannot change any more. That of a correction
// is kept: a state that a killed run has not written tells of another payload.
func (a *attempt) take(ctx context.Context, s *Service, key journal.Key, held holding, confirmed bool) {
	t, err := s.Once().Load(ctx, key)
	if err != nil {
		return
	}
	t.Own(einvoice.SameID(t.Foreign.Result, held.id))
	if !einvoice.SameID(t.Known.Result, held.id) {
		return
	}
	next := t.Known
	next.Holder = held.holder
	if confirmed {
		next.Content, next.Held = "", true
	}
	if next != t.Known {
		t.Keep(ctx, next)
		a.noteUnkept(t)
	}
}

// cancelHeld cancels what an object of a state has, unless another one has taken it over:
// of two that come at the same moment, the record tells who was first. cancel has begin
// called right before each attempt of what it sends.
func (a *attempt) cancelHeld(ctx context.Context, s *Service, key journal.Key, held holding,
	cancel func(ctx context.Context, begin func(context.Context) error) error,
) error {
	return a.do(ctx, s, key, func(ctx context.Context, t *once.Turn) error {
		t.Own(einvoice.SameID(t.Foreign.Result, held.id)) // The key was replaced.
		before := t.Known
		if before.Holder != "" && before.Holder != held.holder && einvoice.SameID(before.Result, held.id) {
			return a.problem(TakenOver, nil)
		}
		var swaps sync.Mutex // The invoices of an order are canceled side by side.
		sending := t.Sending(canceling, string(held.id))
		err := cancel(ctx, func(ctx context.Context) error {
			swaps.Lock()
			defer swaps.Unlock()
			return sending(ctx)
		})
		isRefused := func(p *Problem) bool { return p.Kind == RequestFailed || p.Kind == CancellationRefused }
		switch problems := problemsOf(err); {
		case t.Known == before, once.IsUnsent(err):
		case err == nil:
			t.Settle(ctx, string(held.id))
		case problems != nil && !slices.ContainsFunc(problems, func(p *Problem) bool { return !isRefused(p) }):
			t.Keep(ctx, before) // What was not canceled is as valid as it was.
		}
		return err
	})
}
