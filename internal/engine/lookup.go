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

// sought is what a search has found: the invoice that the sale goes on with, nil for
// none, whether it was read by its id, and all that were found.
type sought struct {
	invoice *einvoice.Invoice
	read    bool
	all     []*einvoice.Invoice
}

// search finds the invoice that the sale goes on with. Three know of it, and each
// may be behind the others: the service's list, the journal, and the state, which
// has the id held or "". Nothing is ever posted after a search that failed.
func (i *Issuing) search(ctx context.Context, listed []*einvoice.Invoice, known journal.Record, held string) (sought, error) {
	found := listed
	var inState, journaled *einvoice.Invoice // as they are read by id
	var err error
	if held != "" {
		if inState, err = i.Client.Invoice(ctx, i.Model, held); err != nil {
			return sought{}, i.Failed(Read, nil, err)
		}
		found = with(found, inState)
	}
	if known.Result != "" && !slices.ContainsFunc(found, isInvoice(known.Result)) {
		if journaled, err = i.readKnown(ctx, known.Result); err != nil {
			return sought{}, err
		}
		if journaled != nil && i.isNamed(journaled) {
			found = append(found, journaled)
		}
	}
	if !i.sent {
		i.before = found
	}
	v, err := i.choose(found, known.Result)
	return sought{v, v == inState || v == journaled, found}, err
}

// inDoubt is noted for an invoice of which nobody knows what payload it holds. It
// is the content of none.
const inDoubt = "in doubt"

// learned is what the journal knows once an invoice was found.
func (i *Issuing) learned(known journal.Record, v *einvoice.Invoice) journal.Record {
	learned := known
	learned.Phase, learned.Result, learned.Stamp = journal.Settled, string(v.ID), time.Time{}
	switch {
	case known.Phase == journal.Settled:
		return known
	case IsCorrectable(v):
		// It may be from before an unanswered request, or of its payload.
		if known.Content != "" && !einvoice.SameID(known.Result, v.ID) {
			learned.Content = inDoubt
		}
		return learned
	case known.Content == "" || i.isContent(known.Content):
		return learned
	}
	return known // Made of another payload: that stays in doubt until the state has it.
}

// othersDraft refuses to send anything beside or over a draft where neither the journal nor
// the state knows of the sale: nobody here has made it. Where a draft is wanted, one that
// does not differ is adopted.
func (i *Issuing) othersDraft(found sought, v *einvoice.Invoice, t *once.Turn, held string) (adopts bool, err error) {
	n := slices.IndexFunc(found.all, isDraft)
	isKnown := held+t.Known.Result+t.Foreign.Result != "" || t.Known.Phase == journal.Sending
	if n < 0 || isKnown || !IsCorrectable(v) {
		return false, nil
	}
	draft := found.all[n]
	if isDraft(v) {
		draft = v
	}
	differ := Differences(i.Payload, i.Model, draft)
	if draft == v && !i.Issue && len(differ) == 0 {
		return true, nil
	}
	p := i.problem(OthersDraft, draft, nil)
	p.Differences = differ
	return false, p
}

func isDraft(v *einvoice.Invoice) bool { return string(v.Status) == einvoice.StatusCreated }

// current reads what only a list has shown, if something may be sent over it: a list
// may show it as it was, and by now it may be valid.
func (i *Issuing) current(ctx context.Context, found sought) (*einvoice.Invoice, error) {
	if found.invoice == nil || found.read || !IsCorrectable(found.invoice) {
		return found.invoice, nil
	}
	v, err := i.Client.Invoice(ctx, i.Model, string(found.invoice.ID))
	if err != nil {
		return nil, i.Failed(LookUp, nil, err)
	}
	return v, nil
}

// Pending tells what the journal knows of the sale that the state does not, which
// has the invoice with that id: whether this payload was sent by a run that did
// not see its end, and whether the sale may go on with another invoice: the one that
// is there may be of another payload, and a correction may become a new one.
func (i *Issuing) Pending(ctx context.Context, id string) (sent, elsewhere bool) {
	t, err := i.Once().Load(ctx, i.key())
	if err != nil {
		return false, false // A journal that cannot be read knows nothing here.
	}
	t.Own(einvoice.SameID(t.Foreign.Result, id))
	known := t.Known
	unanswered, ours := known.Phase == journal.Sending, i.isContent(known.Content)
	elsewhere = unanswered || t.Foreign.Phase != journal.Idle || known.Result != "" && !einvoice.SameID(known.Result, id) || known.Content != "" && !ours
	return ours && (einvoice.SameID(known.Result, id) || unanswered), elsewhere
}

// readKnown reads what the journal knows to exist, nil for what is gone.
func (i *Issuing) readKnown(ctx context.Context, id string) (*einvoice.Invoice, error) {
	v, err := readPatiently(ctx, &i.Service, func() (*einvoice.Invoice, error) { return i.Client.Invoice(ctx, i.Model, id) })
	if err != nil {
		return nil, i.Failed(LookUp, nil, err)
	}
	return v, nil
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

// Persistently reads what is known to have existed again while it is not found:
// that it is gone is believed when it stays so.
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

func isInvoice[ID ~string](id ID) func(*einvoice.Invoice) bool {
	return func(v *einvoice.Invoice) bool { return einvoice.SameID(v.ID, id) }
}

// isNamed tells that an invoice shows this integration_id, or none.
func (i *Issuing) isNamed(v *einvoice.Invoice) bool {
	return v.IntegrationID == "" || einvoice.SameClientID(v.IntegrationID, einvoice.Text(i.IntegrationID))
}

// with puts an invoice in the place of what a list shows of it.
func with(found []*einvoice.Invoice, v *einvoice.Invoice) []*einvoice.Invoice {
	return append(slices.DeleteFunc(found, isInvoice(v.ID)), v)
}

// list finds the invoices under the integration_id in the service's list. Each sale
// reads its own list, just before it sends: one that many share, as a refresh does, is from before what another
// machine has sent meanwhile, and the model test finds two invoices then.
func (i *Issuing) list(ctx context.Context) ([]*einvoice.Invoice, error) {
	found, err := named(i.Client.Invoices(ctx, i.Model, einvoice.InvoiceFilter{IntegrationID: i.IntegrationID}), einvoice.Text(i.IntegrationID),
		func(v *einvoice.Invoice) einvoice.Text { return v.IntegrationID })
	if err != nil {
		return nil, i.Failed(LookUp, nil, err)
	}
	return found, nil
}

// named collects what a list has under a name. The filter may have been ignored, so
// equality is checked on every item. Another spelling counts where nothing has the right
// one.
func named[T any](list iter.Seq2[*T, error], name einvoice.Text, nameOf func(*T) einvoice.Text) ([]*T, error) {
	same, err := einvoice.Matching(list, func(v *T) bool { return nameOf(v) != "" && einvoice.SameClientID(nameOf(v), name) })
	if exact := slices.DeleteFunc(slices.Clone(same), func(v *T) bool { return nameOf(v) != name }); len(exact) > 0 {
		return exact, err
	}
	return same, err
}

// choose picks, among the invoices of one sale, the one to go on with: what is or
// may become valid, else what was valid, else the draft or rejected one that was
// sent last, by its last word or else by the journal: another machine may have sent
// one since. Two that may be valid are for a person to look at.
func (i *Issuing) choose(found []*einvoice.Invoice, last string) (*einvoice.Invoice, error) {
	var valid, pending, ended, correctable []*einvoice.Invoice
	for _, v := range found {
		switch next := decide(v, i.Want); {
		case IsCorrectable(v):
			correctable = append(correctable, v)
		case next == decideDead:
			ended = append(ended, v)
		case string(v.Status) == einvoice.StatusRejected:
			pending = append(pending, v)
		default:
			valid = append(valid, v)
		}
	}
	if len(valid) > 1 {
		return nil, i.several(valid)
	}
	for _, group := range [][]*einvoice.Invoice{valid, pending, ended} {
		if len(group) > 0 {
			return latest(group), nil
		}
	}
	if n := slices.IndexFunc(correctable, isInvoice(last)); n > 0 {
		correctable[0], correctable[n] = correctable[n], correctable[0] // The first of what was said at one time.
	}
	return latest(correctable), nil
}

// latest is the invoice of which something was said last, the first of several, nil
// of none.
func latest(found []*einvoice.Invoice) (last *einvoice.Invoice) {
	for _, v := range found {
		if last == nil || saidLater(v, last) {
			last = v
		}
	}
	return last
}

// IsCorrectable tells that an invoice is a draft or was rejected for good: its
// payload may be sent again under the same id.
func IsCorrectable(v *einvoice.Invoice) bool {
	return isDraft(v) || IsRejected(v)
}

func (i *Issuing) several(found []*einvoice.Invoice) *Problem {
	p := i.problem(Several, nil, nil)
	p.Found = found
	return p
}

// settles tells whether a found invoice ends the search for the outcome of an
// unanswered POST. A draft or a rejected one may be from before it, and what that
// POST made not be listed yet.
func (i *Issuing) settles(found *einvoice.Invoice) bool {
	return !IsCorrectable(found) && decide(found, i.Want) != decideAdopt && !i.wasThere(found)
}

// wasThere tells that an invoice is as it was before this run sent anything, so
// that it is no outcome of that.
func (i *Issuing) wasThere(v *einvoice.Invoice) bool {
	return slices.ContainsFunc(i.before, func(before *einvoice.Invoice) bool {
		return einvoice.SameID(before.ID, v.ID) && before.Status == v.Status && SameWord(before, v)
	})
}

// prove fails with [once.ErrUnproven] unless something that is listed settles what is
// in doubt. The list may show an invoice as it was, so that is read by id, and listed
// has what was read.
func (i *Issuing) prove(ctx context.Context, listed []*einvoice.Invoice) error {
	for n, candidate := range listed {
		if !i.settles(candidate) {
			continue
		}
		v, err := i.Client.Invoice(ctx, i.Model, string(candidate.ID))
		switch {
		case errors.Is(err, einvoice.ErrNotFound): // Made so lately that only the list has it.
			continue
		case err != nil:
			return i.Failed(LookUp, nil, err)
		}
		if listed[n] = v; i.settles(v) {
			return nil
		}
	}
	return once.ErrUnproven
}
