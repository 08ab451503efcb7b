package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// attempt is what one run knows of itself, of an invoice and of an order alike. Each adds its key, how it looks, how
// it sends, and what counts as the same.
type attempt struct {
	Notes []Event // what is worth a warning after the run, however it ended

	alive       time.Duration   // of a plan, which has no patience: how long a run that sent may still be at work
	sent        bool            // this run has sent the invoice or the order
	asked       bool            // this run has sent any request that may issue
	lost        error           // why the last request had no usable answer
	repetitions int             // how often the invoice or order was sent after the first time
	order       *einvoice.Order // as last seen
	noList      error           // that the service has no list of these; nil where it has one
	letOthers   func(bool)      // lets other sales go, which wait until this one's answer is compared; nil for none
}

// turns acts on the record of whatever else must happen once, turn by turn: see issueOnce.
func turns[T any](
	ctx context.Context, a *attempt, s *Service, key journal.Key, act func(context.Context, *once.Turn) (T, error),
) (result T, err error) {
	a.lost = nil
	err = s.Once().Do(ctx, key, func(ctx context.Context, t *once.Turn) (err error) {
		result, err = act(ctx, t)
		a.noteUnkept(t)
		return err
	})
	return result, a.ended(err)
}

// ended is the problem with which a loop ends, nil for none. A lost answer counts for more than the interrupt after it.
func (a *attempt) ended(err error) error {
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
	if a.asked && s.Issuer != "" && s.Client.KeyOwner() == "" && s.Client.IsFirstMissing("key owner") {
		a.Notes = append(a.Notes, Event{Kind: IssuerUnknown})
	}
	if a.noList != nil && s.Client.IsFirstMissing(cmp.Or(model, "order")) {
		a.Notes = append(a.Notes, Event{Kind: NoList, Model: model, Err: a.noList})
	}
}

// unusableError is the error of an answer that does not say what became of the request.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// errAboutAnother is of an answer to a creation with another sale's invoice or order.
var errAboutAnother = unusableError{errors.New("the response was about another invoice or order")}

// admit makes sure, before anything leaves that issues: that the key is not known to be another company's, and that
// invoices of the models may be issued where the company's settings say. While nobody knows whose the key is, one sale
// goes first. Call release when the request is answered: until then this run writes no settings, so that what was
// checked stays true.
func (a *attempt) admit(ctx context.Context, s *Service, models []string) (release func(), err error) {
	a.letOthersGo(false) // Its first request was not answered.
	if err = s.RefuseOtherKey(ctx); err == nil {
		a.letOthers, err = s.goFirst(ctx)
	}
	if err != nil && problemsOf(err) == nil {
		err = a.failed(ctx, Identify, err)
	}
	if err != nil {
		return nil, err
	}
	if release = func() {}; s.Environments.Hold != nil {
		if release, err = s.Environments.Hold(ctx); err != nil {
			return nil, &once.StoreError{Cause: err}
		}
	}
	if err = s.Environments.check(ctx, s.Issuer, models); err != nil {
		release()
	}
	return release, err
}

// letOthersGo lets other sales go. Unless this one's answer was compared, the next of them goes first.
func (a *attempt) letOthersGo(isCompared bool) {
	if a.letOthers != nil {
		a.letOthers(isCompared)
	}
	a.letOthers = nil
}

// recordOutcome records what became of a request that must happen once. before is the record of before it, target what
// it was sent to, "" for something new, and id what it made or changed. Where the service refused, the record is as it
// was. Where the answer was lost, or is no certain refusal, it stays "sending": the next turn looks for the outcome.
func (a *attempt) recordOutcome(
	ctx context.Context, t *once.Turn, name Request, before journal.Record, target, id einvoice.Text, err error,
) error {
	if once.IsUnsent(err) {
		return err
	}
	a.asked = true
	if a.lost = nil; target == "" {
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
		return a.failed(ctx, name, err)
	}
	if a.lost = err; id != "" { // Of what came in place of it, which may be it under another name.
		t.Keep(ctx, t.Known.In(journal.Sending, string(id)))
	}
	if ctx.Err() != nil {
		return a.problem(Interrupted, err)
	}
	return once.ErrLookAgain
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

// holding is what a block of a configuration has: the id of an invoice or an order.
type holding struct {
	block   string
	id      einvoice.Text
	isValid bool // it is known to be authorized, or to have invoices that are
}

// isTakenOver reports whether the record says that another block has it.
func (h holding) isTakenOver(known journal.Record) bool {
	block := journal.NoteOf[blockNote](known).Block
	return block != "" && block != h.block && einvoice.SameID(known.Result, h.id)
}

// isTakenOver is that of the record as it is now. What cannot be read is not.
func (s *Service) isTakenOver(ctx context.Context, key journal.Key, held holding) bool {
	t, err := s.Once().Load(ctx, key)
	return err == nil && held.isTakenOver(t.Known)
}

// recordSale records which block has an invoice. A confirmed record forgets the payload of an invoice that was created
// and cannot change any more, but not that of a correction: the state that a killed run has left has another one.
func (a *attempt) recordSale(ctx context.Context, s *Service, key journal.Key, held holding, isConfirmed bool) {
	a.recordBlock(ctx, s, key, held, func(known journal.Record) journal.Record {
		note := journal.NoteOf[saleNote](known)
		note.Valid = note.Valid || held.isValid
		if note.Block = held.block; isConfirmed {
			note.Digest, note.Trust, known.Held = "", "", true
		}
		return known.Noted(note)
	})
}

// recordBlock changes the record of what a block has.
func (a *attempt) recordBlock(
	ctx context.Context, s *Service, key journal.Key, held holding, change func(journal.Record) journal.Record,
) {
	t, err := s.Once().Load(ctx, key)
	if err != nil {
		return
	}
	if next := change(t.Known); einvoice.SameID(t.Known.Result, held.id) && next != t.Known {
		t.Keep(ctx, next)
		a.noteUnkept(t)
	}
}

// settleImported settles a record that a run has left in doubt: a person has looked, and imported what it is about.
// Nobody knows what it was made of.
func (a *attempt) settleImported(ctx context.Context, s *Service, key journal.Key, id string) {
	t, err := s.Once().Load(ctx, key)
	if err == nil && t.Known.Phase == journal.Sending && t.Known.Result == "" && !t.InDoubt() {
		t.Keep(ctx, t.Known.In(journal.Settled, id).Noted(journal.NoteOf[blockNote](t.Known)))
	}
}

// cancelHeld cancels what a block has, unless the record says that another block has taken it over.
func cancelHeld[T any](
	ctx context.Context, a *attempt, s *Service, key journal.Key, held holding,
	cancel func(context.Context, einvoice.Guard) (T, error),
) (T, error) {
	return turns(ctx, a, s, key, func(ctx context.Context, t *once.Turn) (result T, err error) {
		before := t.Known
		if held.isTakenOver(before) {
			return result, a.problem(TakenOver, nil)
		}
		result, err = cancel(ctx, t.Sending(blockNote{held.block, true}, string(held.id)).ForSeveral())
		mayBeCanceled := func(p *Problem) bool {
			return p.Kind != RequestFailed && (p.Kind != CancellationRefused || p.Former)
		}
		switch problems := problemsOf(err); {
		case t.Known == before, once.IsUnsent(err):
		case err == nil:
			t.Keep(ctx, t.Known.In(journal.Settled, string(held.id)).Noted(blockNote{Block: held.block}))
		case problems != nil && !slices.ContainsFunc(problems, mayBeCanceled):
			t.Keep(ctx, before) // What was not canceled is as valid as it was.
		}
		return result, err
	})
}
