package engine

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// saleFacts are what one look has read, and what the run knows from before it.
type saleFacts struct {
	listed []*einvoice.Invoice          // under the name
	noList bool                         // the service does not list this model
	read   map[string]reading           // by id, after the list
	asked  map[string]*einvoice.Invoice // as the authority has them

	before    []*einvoice.Invoice // all of the sale, before this run sent anything
	sent      bool                // this run has sent the payload
	lost      error               // why its last request has no usable answer; nil for none
	mayRepeat bool                // that lets it be sent again
	patience  time.Duration       // how long what was sent may stay invisible; 0 for a plan, which waits for nothing
	alive     time.Duration       // how long the run that sent may still be at work
}

type reading struct {
	invoice     *einvoice.Invoice // nil: not found
	isOtherSale bool              // the journal knows it under the spelling that it shows
}

// gather reads what each decision needs. What only some need, they ask for.
func (i *Issuing) gather(ctx context.Context, t *once.Turn) (f *saleFacts, err error) {
	f = &saleFacts{
		before: i.before, sent: i.sent, lost: i.lost, patience: i.Patience, alive: cmp.Or(i.alive, i.Patience),
		read: map[string]reading{}, asked: map[string]*einvoice.Invoice{},
	}
	f.mayRepeat = i.lost != nil && i.Client.MaySendAgain(i.lost, i.repetitions, i.Patience)
	if id := t.Known.Result; journal.NoteOf[saleNote](t.Known).Canceling { // Before the list, which shows how that ended.
		if f.read[lower(id)], err = i.readOne(ctx, t, move{id: id, patient: true, as: LookUp}); err != nil {
			return nil, err
		}
	}
	// A shared list answers for many sales at once. It may be a minute old, so that it answers only where nothing is known
	// of this one. Another machine that has sent meanwhile has swapped the record, or shares no journal with this one.
	isNew := t.Known.Phase == journal.Idle && i.state.id == "" && !i.sent
	if isNew && i.Client.Lacks(ctx, i.Model, i.IntegrationID) {
		return f, nil
	}
	f.listed, err = i.list(ctx)
	if f.noList = i.isUnlisted(err); f.noList {
		i.noList, err = err, nil
		t.MustLast()
	}
	return f, err
}

func (i *Issuing) readOne(ctx context.Context, t *once.Turn, next move) (got reading, err error) {
	read := func() (*einvoice.Invoice, error) { return i.Client.Invoice(ctx, i.Model, next.id) }
	if next.patient {
		got.invoice, err = readPatiently(ctx, &i.Service, read)
	} else {
		got.invoice, err = read()
	}
	if errors.Is(err, einvoice.ErrNotFound) && !next.must {
		err = nil
	}
	if err != nil {
		return got, i.requestFailed(next.as, nil, err)
	}
	got.isOtherSale = got.invoice != nil && !i.isNamed(got.invoice) && t.Known.Phase == journal.Sending &&
		i.isOtherSale(ctx, got.invoice)
	return got, nil
}

func (i *Issuing) wanted() *saleWanted {
	return &saleWanted{
		Want: i.Want, digest: i.content(), inState: i.state.id, changed: i.state.payloadChanged, block: i.Holder,
		named:   i.isNamed,
		differ:  func(v *einvoice.Invoice) []Difference { return Differences(i.Payload, i.Model, v) },
		ofOther: func(v *einvoice.Invoice) bool { return i.checkIssuerOf(v) != nil },
	}
}

// Pending returns what the journal knows of the sale beyond the state, which has the invoice with that id. sent: a
// run that did not see the end has sent this payload. elsewhere: the sale may go on with another invoice, because
// this one may hold another payload, or a correction may become a new invoice.
func (i *Issuing) Pending(ctx context.Context, id string) (sent, elsewhere bool) {
	t, err := i.Once().Load(ctx, i.key())
	if err != nil {
		return false, false // A journal that cannot be read knows nothing here.
	}
	known := t.Known
	note := journal.NoteOf[saleNote](known)
	unanswered, ours := known.Phase == journal.Sending, note.Digest == i.content()
	sameID := einvoice.SameID(known.Result, id)
	elsewhere = unanswered || known.Result != "" && !sameID || note.Digest+string(note.Trust) != "" && !ours
	return ours && (sameID || unanswered), elsewhere
}

// readPatiently reads what is known to have existed, nil for what stays gone.
func readPatiently[T any](ctx context.Context, s *Service, read func() (*T, error)) (v *T, err error) {
	err = s.Persistently(ctx, func() (err error) {
		v, err = read()
		return err
	})
	if errors.Is(err, einvoice.ErrNotFound) {
		return nil, nil //nolint:nilnil // The contract: gone.
	}
	return v, err
}

// Persistently reads what is known to have existed again while it is not found, until the patience is over.
func (s *Service) Persistently(ctx context.Context, read func() error) error {
	err := read()
	until := s.Clock.Now().Add(s.Patience)
	if !errors.Is(err, einvoice.ErrNotFound) || s.Patience == 0 {
		return err
	}
	ended := s.Clock.Until(ctx, once.LookPauses, func() (bool, error) {
		err = read()
		return !errors.Is(err, einvoice.ErrNotFound) || !s.Clock.Now().Before(until), nil
	})
	return cmp.Or(ended, err)
}

// lookTwice reads a list once more where it cannot be read: it may have grown by a page meanwhile.
func lookTwice[T any](list func() ([]T, error)) ([]T, error) {
	found, err := list()
	if err != nil {
		found, err = list()
	}
	return found, err
}

// hasID returns a function that reports whether an invoice has the id.
func hasID[ID ~string](id ID) func(*einvoice.Invoice) bool {
	return func(v *einvoice.Invoice) bool { return einvoice.SameID(v.ID, id) }
}

// isNamed reports whether an invoice shows this integration_id, or none.
func (i *Issuing) isNamed(v *einvoice.Invoice) bool {
	return v.IntegrationID == "" || einvoice.SameClientID(v.IntegrationID, einvoice.Text(i.IntegrationID))
}

// replacedBy puts an invoice in the place of what a list shows of it.
func replacedBy(found []*einvoice.Invoice, v *einvoice.Invoice) []*einvoice.Invoice {
	return append(slices.DeleteFunc(found, hasID(v.ID)), v)
}

// list finds the invoices under the integration_id in the service's list, by a request of its own.
func (i *Issuing) list(ctx context.Context) ([]*einvoice.Invoice, error) {
	filter := einvoice.InvoiceFilter{IntegrationID: i.IntegrationID}
	found, err := named(i.Client.Invoices(ctx, i.Model, filter), einvoice.Text(i.IntegrationID),
		func(v *einvoice.Invoice) einvoice.Text { return v.IntegrationID })
	if err != nil {
		return nil, i.requestFailed(LookUp, nil, err)
	}
	return slices.DeleteFunc(found, func(v *einvoice.Invoice) bool { return i.isOtherSale(ctx, v) }), nil
}

// isOtherSale reports whether an invoice that shows another spelling of the name is known to the journal as that of a
// sale with exactly this spelling.
func (i *Issuing) isOtherSale(ctx context.Context, v *einvoice.Invoice) bool {
	if string(v.IntegrationID) == i.IntegrationID {
		return false
	}
	t, err := i.Once().Load(ctx, i.keyOf(string(v.IntegrationID)))
	return err == nil && einvoice.SameID(t.Known.Result, v.ID)
}

// named collects what a list has under a name. The filter may have been ignored, so that each item is compared.
// Another spelling counts where nothing has the right one.
func named[T any](list iter.Seq2[*T, error], name einvoice.Text, nameOf func(*T) einvoice.Text) ([]*T, error) {
	same, err := einvoice.Matching(list, func(v *T) bool {
		return nameOf(v) != "" && einvoice.SameClientID(nameOf(v), name)
	})
	exact := slices.DeleteFunc(slices.Clone(same), func(v *T) bool { return nameOf(v) != name })
	if len(exact) > 0 {
		return exact, err
	}
	return same, err
}

// choose is [chosen] with the problem of several.
func (i *Issuing) choose(found []*einvoice.Invoice, last string) (*einvoice.Invoice, error) {
	v, several := chosen(found, last)
	if several != nil {
		p := i.problem(Several, nil, nil)
		p.Found = several
		return nil, p
	}
	return v, nil
}

// byJudgment orders invoices by the time at which the service last said something about them.
func byJudgment(a, b *einvoice.Invoice) int {
	at, _ := einvoice.ParseTime(string(judgedOn(a)))
	bt, _ := einvoice.ParseTime(string(judgedOn(b)))
	return at.Compare(bt)
}

// A service need not list consumer invoices and orders: the interface names neither list. The journal alone decides
// then. What it knows to be idle is sent once, and a doubt ends the run, because nothing could settle it.

// isUnlisted reports whether the service lacks a list that it need not have.
func (i *Issuing) isUnlisted(err error) bool {
	return i.Model == einvoice.ModelConsumer && errors.Is(err, einvoice.ErrMissing)
}

// isAsIn reports whether an invoice is as it was in an earlier look.
func isAsIn(before []*einvoice.Invoice, v *einvoice.Invoice) bool {
	return slices.ContainsFunc(before, func(b *einvoice.Invoice) bool {
		return einvoice.SameID(b.ID, v.ID) && b.Status == v.Status && sameJudgment(b, v)
	})
}

// chosen picks, among the invoices of one sale, the one to go on with: what is or may become valid, else what was
// valid, else the draft or rejected one that was judged last, or that the journal knows by the id last. Two that may be
// valid are for a person to look at.
func chosen(found []*einvoice.Invoice, last string) (v *einvoice.Invoice, several []*einvoice.Invoice) {
	var valid, pending, ended, correctable []*einvoice.Invoice
	for _, v := range found {
		switch {
		case IsCorrectable(v):
			correctable = append(correctable, v)
		case v.Meaning().HasEnded():
			ended = append(ended, v)
		case string(v.Status) == einvoice.StatusRejected:
			pending = append(pending, v)
		default:
			valid = append(valid, v)
		}
	}
	if len(valid) > 1 {
		return nil, valid
	}
	if n := slices.IndexFunc(correctable, hasID(last)); n > 0 {
		correctable[0], correctable[n] = correctable[n], correctable[0]
	}
	for _, group := range [][]*einvoice.Invoice{valid, pending, ended, correctable} {
		if len(group) > 0 {
			return slices.MaxFunc(group, byJudgment), nil
		}
	}
	return nil, nil
}
