package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// attempt is what one run knows of itself, of an invoice and of an order alike. Each adds its key, how it looks, how
// it sends, and what counts as the same.
type attempt struct {
	Notes []Event // what is worth a warning after the run, however it ended

	sent         bool            // this run has sent the invoice or the order
	asked        bool            // this run has sent any request that may issue
	lost         error           // why the last request had no usable answer
	repetitions  int             // how often the invoice or order was sent after the first time
	order        *einvoice.Order // as last seen
	noList       error           // that the service has no list of these; nil where it has one
	noOrderRead  error           // that the service neither reads nor lists orders; nil where it does
	hiddenModels []string        // the models whose invoices no list shows then
	endTurn      func()          // lets others send while nobody knows whose the key is; nil outside a turn
}

// turnFunc goes on with what must happen once, as far as its record allows.
type turnFunc = func(context.Context, *once.Turn) error

// do makes something happen once, and turns whatever ends it into a problem.
func (a *attempt) do(ctx context.Context, s *Service, key journal.Key, act turnFunc) error {
	a.lost = nil
	err := s.Once().Do(ctx, key, func(ctx context.Context, t *once.Turn) error {
		err := act(ctx, t)
		a.noteUnkept(t)
		return err
	})
	if err == nil {
		return nil
	}
	return a.asProblem(err, cmp.Or(a.lost, err))
}

// asProblem returns the problem that an error is, or makes one: of the store, or of an interrupt for a cause.
func (a *attempt) asProblem(err, cause error) error {
	switch {
	case problemsOf(err) != nil:
		return err
	case errors.As(err, new(*once.StoreError)):
		return a.problem(Unrecorded, err)
	}
	return a.problem(Interrupted, cause)
}

// noteUnkept notes, once a run, that the record ends with this process. Where somebody else was faster there is one.
func (a *attempt) noteUnkept(t *once.Turn) {
	noted := slices.ContainsFunc(a.Notes, func(e Event) bool { return e.Kind == JournalUnwritable })
	if t.Unkept != nil && !errors.Is(t.Unkept, journal.ErrChanged) && !noted {
		a.Notes = append(a.Notes, Event{Kind: JournalUnwritable, Err: t.Unkept})
	}
}

// noteMissing notes, once a process, what the service lacks, so that the journal alone decides, or so that nobody knows
// whose the key is.
func (a *attempt) noteMissing(s *Service, model string) {
	client := s.Client
	isUnknown := a.asked && s.Issuer != "" && client.Holder() == "" && client.IsHolderSettled()
	if isUnknown && client.IsFirstMissing("key holder") {
		a.Notes = append(a.Notes, Event{Kind: IssuerUnknown})
	}
	if a.noList != nil && client.IsFirstMissing(cmp.Or(model, "order")) {
		a.Notes = append(a.Notes, Event{Kind: NoList, Model: model, Err: a.noList})
	}
	if a.noOrderRead != nil && client.IsFirstMissing("get_order") {
		a.Notes = append(a.Notes, Event{Kind: Unreadable, Err: a.noOrderRead})
	}
}

type request struct {
	name    Request
	content string        // a digest of what is sent
	target  einvoice.Text // the id of what it is sent to; "" for something new
	models  []string      // of the invoices that it may issue

	exchange func(einvoice.Guard) (einvoice.Text, error) // sends it, and returns the id of what it made or changed
}

// unusableError is the error of an answer that does not say what became of the request.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// send sends a request once, and settles the record with the id of the answer. Where the service refuses, the record
// is as it was. Where the answer is lost, or no certain refusal, it returns [once.ErrUnproven]: the next turn looks for
// the outcome.
func (a *attempt) send(ctx context.Context, s *Service, t *once.Turn, r request) error {
	release, err := a.takeTurn(ctx, s, r.models)
	if err != nil {
		return err
	}
	before := t.Known
	id, err := r.exchange(t.Sending(r.content, string(r.target)))
	release()
	if once.IsUnsent(err) {
		return err
	}
	a.asked = true
	if a.lost = nil; r.target == "" {
		if a.sent {
			a.repetitions++
		}
		a.sent = true
	}
	switch {
	case err == nil:
		t.Settle(ctx, string(id))
		return nil
	case einvoice.IsRefusal(err) && !errors.As(err, new(unusableError)):
		t.Keep(ctx, before) // The next run must not wait for what cannot appear.
		return a.failed(ctx, r.name, err)
	}
	if a.lost = err; id != "" { // Of what came in place of it, which may be it under another name.
		t.Keep(ctx, t.Known.In(journal.Sending, string(id)))
	}
	if ctx.Err() != nil {
		return a.problem(Interrupted, err)
	}
	return once.ErrUnproven
}

// reopenMisnamed reports whether a run has ended because the service answered with another sale's invoice or order.
// The record is in doubt again then: nobody knows what became of this sale.
func (a *attempt) reopenMisnamed(ctx context.Context, s *Service, key journal.Key, err error) bool {
	problems := problemsOf(err)
	if !a.sent || len(problems) != 1 || problems[0].Kind != Misnamed {
		return false
	}
	if t, err := s.Once().Load(ctx, key); err == nil {
		answered := ""
		if v := problems[0].Invoice; v != nil {
			answered = string(v.ID)
		}
		t.Keep(ctx, t.Known.In(journal.Sending, answered))
	}
	return true
}

// takeTurn makes sure, before anything is sent that issues, that the key is not known to be another company's and that
// invoices of the models may be issued. While nobody knows whose the key is, one sale goes first. Call release when the
// request is answered: until then this process writes no settings, so that what was checked stays true.
func (a *attempt) takeTurn(ctx context.Context, s *Service, models []string) (release func(), err error) {
	a.leaveTurn() // Of what was sent before.
	if a.endTurn, err = s.Admit(ctx); err != nil && problemsOf(err) == nil {
		err = a.failed(ctx, Identify, err)
	}
	if err != nil {
		return nil, err
	}
	if release = func() {}; s.Environments.Hold != nil {
		release = s.Environments.Hold()
	}
	if err = s.Environments.check(ctx, s.Issuer, models); err != nil {
		release()
	}
	return release, err
}

func (a *attempt) leaveTurn() {
	if a.endTurn != nil {
		a.endTurn()
	}
}

// unproven ends a run whose sale may have been sent, where the journal alone decides. Another run may be about to
// record the answer: that is waited for, but not an answer that this run has lost.
func (a *attempt) unproven(t *once.Turn) error {
	if a.lost == nil && t.InDoubt() {
		return once.ErrUnproven
	}
	p := a.problem(Unlisted, cmp.Or(a.lost, a.noList))
	p.Record = t.Where()
	p.Holder, p.OtherKey = t.Sender()
	return p
}

// canceling is the content of a record while a cancellation is on its way.
const canceling = "canceling"

// holding is what an object of a state has: the id of an invoice or an order.
type holding struct {
	holder string // names the object
	id     einvoice.Text
}

// isTakenOver reports whether the record says that another object has it.
func (h holding) isTakenOver(known journal.Record) bool {
	return known.Holder != "" && known.Holder != h.holder && einvoice.SameID(known.Result, h.id)
}

// isTakenOver is that of the record as it is now. What cannot be read is not.
func (s *Service) isTakenOver(ctx context.Context, key journal.Key, held holding) bool {
	t, err := s.Once().Load(ctx, key)
	if err != nil {
		return false
	}
	t.Own(einvoice.SameID(t.Foreign.Result, held.id))
	return held.isTakenOver(t.Known)
}

// recordHolder records which object has the id. A confirmed record forgets the payload of an invoice that was created
// and cannot change any more, but not that of a correction: the state that a killed run has left has another one.
func (a *attempt) recordHolder(ctx context.Context, s *Service, key journal.Key, held holding, confirmed bool) {
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

// settleImported settles a record that a run has left in doubt: a person has looked, and imported what it is about.
func (a *attempt) settleImported(ctx context.Context, s *Service, key journal.Key, id string) {
	t, err := s.Once().Load(ctx, key)
	if err == nil && t.Known.Phase == journal.Sending && t.Known.Result == "" && !t.InDoubt() {
		next := t.Known.In(journal.Settled, id)
		next.Content = "" // Nobody knows what it was made of.
		t.Keep(ctx, next)
	}
}

// cancelHeld cancels what an object of a state has, unless the record says that another object has taken it over.
func (a *attempt) cancelHeld(
	ctx context.Context, s *Service, key journal.Key, held holding,
	cancel func(context.Context, einvoice.Guard) error,
) error {
	return a.do(ctx, s, key, func(ctx context.Context, t *once.Turn) error {
		t.Own(einvoice.SameID(t.Foreign.Result, held.id)) // The key was replaced.
		before := t.Known
		if held.isTakenOver(before) {
			return a.problem(TakenOver, nil)
		}
		err := cancel(ctx, t.Sending(canceling, string(held.id)).ForSeveral())
		mayBeCanceled := func(p *Problem) bool { return p.Kind != RequestFailed && p.Kind != CancellationRefused }
		switch problems := problemsOf(err); {
		case t.Known == before, once.IsUnsent(err):
		case err == nil:
			t.Settle(ctx, string(held.id))
		case problems != nil && !slices.ContainsFunc(problems, mayBeCanceled):
			t.Keep(ctx, before) // What was not canceled is as valid as it was.
		}
		return err
	})
}
