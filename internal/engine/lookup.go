package engine

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

type searched struct {
	invoice *einvoice.Invoice // with which the sale goes on; nil for none
	read    bool              // the invoice was read by its id
	all     []*einvoice.Invoice
	renamed *einvoice.Invoice // that the service has answered with, under another name; nil for none
}

// search finds the invoice with which the sale goes on. The service's list, the journal and the state know of it, and
// each may be behind the others. Nothing is ever posted after a search that failed.
func (i *Issuing) search(
	ctx context.Context, listed []*einvoice.Invoice, known journal.Record,
) (searched, error) {
	found := listed
	var inState, journaled, renamed *einvoice.Invoice // as they are read by id
	var err error
	if i.state.id != "" {
		if inState, err = i.Client.Invoice(ctx, i.Model, i.state.id); err != nil {
			return searched{}, i.requestFailed(Read, nil, err)
		}
		found = replacedBy(found, inState)
	}
	if known.Result != "" && !slices.ContainsFunc(found, hasID(known.Result)) {
		if journaled, err = i.readKnown(ctx, known.Result); err != nil {
			return searched{}, err
		}
		switch {
		case journaled == nil:
		case i.isNamed(journaled):
			found = append(found, journaled)
		case known.Phase == journal.Sending && !i.isOtherSale(ctx, journaled):
			renamed = journaled
		}
	}
	if !i.sent {
		i.before = found
	}
	v, err := i.choose(found, known.Result)
	return searched{v, v == inState || v == journaled, found, renamed}, err
}

// These are contents of a record whose invoice may hold another payload, the second one of a draft that somebody else
// has made. Neither is the digest of a payload.
const (
	inDoubt = "in doubt"
	adopted = "adopted"
)

// learned returns what the journal knows once an invoice was found, which a run may adopt as somebody else's draft.
func (i *Issuing) learned(known journal.Record, v *einvoice.Invoice, adopts bool) journal.Record {
	learned := known
	switch {
	case known.Phase == journal.Settled:
	case IsCorrectable(v):
		learned = known.In(journal.Settled, string(v.ID))
		// It may be from before an unanswered request, or of its payload.
		if known.Content != "" && !einvoice.SameID(known.Result, v.ID) {
			learned.Content = inDoubt
		}
	case known.Content == "" || known.Content == i.content():
		learned = known.In(journal.Settled, string(v.ID))
	} // One of another payload stays in doubt until the state has it.
	if adopts {
		learned.Content = adopted
	}
	return learned
}

// adoptsDraft reports whether a draft is adopted that somebody else has made, or a request of this payload whose
// answer was lost: a draft is wanted, and this one does not differ. Any other draft of somebody else is a problem:
// nothing is sent beside or over it.
func (i *Issuing) adoptsDraft(found searched, v *einvoice.Invoice, t *once.Turn) (bool, error) {
	n := slices.IndexFunc(found.all, isDraft)
	idKnown := i.state.id+t.Known.Result+t.Foreign.Result != ""
	isSending := t.Known.Phase == journal.Sending
	if isDraft(v) && isSending && !idKnown && t.Known.Content == i.content() && !i.Issue {
		return len(Differences(i.Payload, i.Model, v)) == 0, nil
	}
	isKnown := idKnown || isSending
	wasAdopted := t.Known.Content == adopted && !i.state.payloadChanged
	if n < 0 || isKnown && !wasAdopted || !IsCorrectable(v) {
		return false, nil
	}
	draft := found.all[n]
	if isDraft(v) {
		draft = v
	}
	differ := Differences(i.Payload, i.Model, draft)
	if adopts := draft == v && !i.Issue && len(differ) == 0; adopts || wasAdopted {
		return adopts, nil // The payload is sent over what was adopted before it is issued.
	}
	p := i.problem(OthersDraft, draft, nil)
	p.Differences = differ
	return false, p
}

// current returns the found invoice, unless it is another company's, and whether it is adopted as another's draft.
// What only a list has shown is read if something may be sent over it: it may be valid by now.
func (i *Issuing) current(
	ctx context.Context, t *once.Turn, found searched,
) (v *einvoice.Invoice, adopts bool, err error) {
	v = found.invoice
	if !found.read && IsCorrectable(v) {
		current, err := i.Client.Invoice(ctx, i.Model, string(v.ID))
		switch {
		case err == nil:
			v = current
		case i.Patience > 0 || !errors.Is(err, einvoice.ErrNotFound): // It may be so new that only the list has it.
			return nil, false, i.requestFailed(LookUp, nil, err)
		}
	}
	if err := i.checkIssuerOf(v); err != nil {
		return nil, false, err
	}
	adopts, err = i.adoptsDraft(found, v, t)
	return v, adopts, err
}

// Pending returns what the journal knows of the sale beyond the state, which has the invoice with that id. sent: a
// run that did not see the end has sent this payload. elsewhere: the sale may go on with another invoice, because
// this one may hold another payload, or a correction may become a new invoice.
func (i *Issuing) Pending(ctx context.Context, id string) (sent, elsewhere bool) {
	t, err := i.Once().Load(ctx, i.key())
	if err != nil {
		return false, false // A journal that cannot be read knows nothing here.
	}
	t.Own(einvoice.SameID(t.Foreign.Result, id))
	known := t.Known
	unanswered, ours := known.Phase == journal.Sending, known.Content == i.content()
	sameID := einvoice.SameID(known.Result, id)
	elsewhere = unanswered || t.Foreign.Phase != journal.Idle ||
		known.Result != "" && !sameID || known.Content != "" && !ours
	return ours && (sameID || unanswered), elsewhere
}

// readKnown reads what the journal knows to exist, nil for what is gone.
func (i *Issuing) readKnown(ctx context.Context, id string) (*einvoice.Invoice, error) {
	byID := func() (*einvoice.Invoice, error) { return i.Client.Invoice(ctx, i.Model, id) }
	v, err := readPatiently(ctx, &i.Service, byID)
	if err != nil {
		return nil, i.requestFailed(LookUp, nil, err)
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

// list finds the invoices under the integration_id in the service's list. Each sale reads the list just before it
// sends: a shared list is from before what another machine has sent meanwhile, and two invoices come of it.
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

// choose picks, among the invoices of one sale, the one to go on with: what is or may become valid, else what was
// valid, else the draft or rejected one that was judged last, or that the journal knows by the id last. Two that may
// be valid are for a person to look at.
func (i *Issuing) choose(found []*einvoice.Invoice, last string) (*einvoice.Invoice, error) {
	var valid, pending, ended, correctable []*einvoice.Invoice
	for _, v := range found {
		switch {
		case IsCorrectable(v):
			correctable = append(correctable, v)
		case hasEnded(v):
			ended = append(ended, v)
		case string(v.Status) == einvoice.StatusRejected:
			pending = append(pending, v)
		default:
			valid = append(valid, v)
		}
	}
	if len(valid) > 1 {
		p := i.problem(Several, nil, nil)
		p.Found = valid
		return nil, p
	}
	if n := slices.IndexFunc(correctable, hasID(last)); n > 0 {
		correctable[0], correctable[n] = correctable[n], correctable[0] // The first of what was judged at one time.
	}
	for _, group := range [][]*einvoice.Invoice{valid, pending, ended, correctable} {
		if len(group) > 0 {
			return slices.MaxFunc(group, byJudgment), nil
		}
	}
	return nil, nil //nolint:nilnil // The contract: none.
}

// byJudgment orders invoices by the time at which the service last said something about them.
func byJudgment(a, b *einvoice.Invoice) int {
	at, _ := einvoice.ParseTime(string(judgedOn(a)))
	bt, _ := einvoice.ParseTime(string(judgedOn(b)))
	return at.Compare(bt)
}

// settlesDoubt reports whether an invoice proves the outcome of a lost POST. A correctable one may be from before it.
func (i *Issuing) settlesDoubt(found *einvoice.Invoice) bool {
	return !IsCorrectable(found) && decide(found, i.Want) != decideAdopt && !i.isAsBefore(found)
}

// isAsBefore reports whether an invoice is as it was before this run sent anything.
func (i *Issuing) isAsBefore(v *einvoice.Invoice) bool {
	return slices.ContainsFunc(i.before, func(before *einvoice.Invoice) bool {
		return einvoice.SameID(before.ID, v.ID) && before.Status == v.Status && sameJudgment(before, v)
	})
}

// requireProof returns [once.ErrUnproven] unless something that is listed settles the doubt. The list may be behind,
// so that it reads the invoice by its id and puts that in the place of what was listed.
func (i *Issuing) requireProof(ctx context.Context, listed []*einvoice.Invoice) error {
	for n, candidate := range listed {
		if !i.settlesDoubt(candidate) {
			continue
		}
		v, err := i.Client.Invoice(ctx, i.Model, string(candidate.ID))
		switch {
		case errors.Is(err, einvoice.ErrNotFound): // It is so new that only the list has it.
			continue
		case err != nil:
			return i.requestFailed(LookUp, nil, err)
		}
		if listed[n] = v; i.settlesDoubt(v) {
			return nil
		}
	}
	return once.ErrUnproven
}

// A service need not list consumer invoices and orders: the interface names neither list. The journal alone decides
// then. What it knows to be idle is sent once, and a doubt ends the run, because nothing could settle it.

// isUnlisted reports whether the service lacks a list that it need not have.
func (i *Issuing) isUnlisted(err error) bool {
	return i.Model == einvoice.ModelConsumer && errors.Is(err, einvoice.ErrMissing)
}

// listedOrKnown finds the invoices of the sale in the list or, where there is no list, by the ids that the journal
// and the state know. A record of a replaced key is this company's where the state or the service shows its invoice.
func (i *Issuing) listedOrKnown(ctx context.Context, t *once.Turn) ([]*einvoice.Invoice, error) {
	listed, err := i.list(ctx)
	if i.isUnlisted(err) {
		i.noList = err
		listed, err = i.known(ctx, t)
	}
	isInState := i.state.id != "" && einvoice.SameID(i.state.id, t.Foreign.Result)
	t.Own(isInState || slices.ContainsFunc(listed, hasID(t.Foreign.Result)))
	return listed, err
}

func (i *Issuing) known(ctx context.Context, t *once.Turn) ([]*einvoice.Invoice, error) {
	t.MustLast()
	id := cmp.Or(t.Known.Result, t.Foreign.Result)
	switch {
	case id == "" && t.Known.Phase == journal.Idle:
		return nil, nil
	case id == "" && i.state.id == "":
		return nil, i.about(i.unproven(t), nil)
	}
	v, err := i.readKnown(ctx, cmp.Or(id, i.state.id))
	switch {
	case err != nil:
		return nil, err
	case v == nil, !i.isNamed(v), id == "" && !i.settlesDoubt(v):
		return nil, i.about(i.unproven(t), nil) // A 404 proves nothing here: no list shows that it is gone.
	}
	return []*einvoice.Invoice{v}, nil
}
