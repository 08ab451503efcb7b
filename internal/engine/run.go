package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Why no second invoice is sent, from top to bottom:
//
//   - issueOnce is the loop: it loads the record of the sale from the journal, gathers facts, decides and executes,
//     again until the invoice is at the service or something ends the run.
//   - gather and decided read: the service's list under the name, and by id what the state and the record know.
//   - decideSale (decide_sale.go) decides. While a request may still take effect, it answers "look again".
//   - send and issueDraft are all that sends here. Each first makes sure of the company, which may wait for the one
//     document that goes first, and of the environment. Then the client waits for the permit of the rate limit, swaps
//     the record to "sending" (once.Swap.Begin), and sends the first byte. If that is late, nothing leaves.
//   - Whoever loses the swap has sent nothing. A run that is killed later leaves a record that is "sending". The next
//     run looks for the outcome until the patience is over, which is how long a request may take effect or stay
//     invisible: see [einvoice.Patience].
//   - recordOutcome (attempt.go) records the answer. After a lost one the loop looks what became of the request. Only
//     if nothing shows after the patience, and the retries allow it, the payload is sent again.
//
// A second invoice can still leave if the service neither merges by integrationId nor lists what it has made within the
// patience, or if machines share neither a journal nor such a service.

// issueOnce goes on, turn by turn, until the invoice is at the service, or something ends the run.
func (i *Issuing) issueOnce(ctx context.Context) (v *einvoice.Invoice, err error) {
	i.lost = nil
	for t, err := range i.Once().Turns(ctx, i.key()) {
		if err == nil {
			v, err = i.turn(ctx, t)
			i.noteUnkept(t)
		}
		if !once.IsToLookAgain(err) {
			return v, i.ended(err)
		}
	}
	return nil, nil //nolint:nilnil // The loop ends with an error, or from inside.
}

// turn looks, decides and acts once.
func (i *Issuing) turn(ctx context.Context, t *once.Turn) (*einvoice.Invoice, error) {
	i.looked = i.Clock.Now()
	facts, err := i.gather(ctx, t)
	if err != nil {
		return nil, err
	}
	next, err := i.decided(ctx, t, facts, i.askAuthority)
	if err != nil {
		return nil, err
	}
	next.log(ctx, "invoice", i.IntegrationID)
	return i.execute(ctx, t, next)
}

// decided is the next move that is more than a read.
func (i *Issuing) decided(
	ctx context.Context, t *once.Turn, f *saleFacts,
	ask func(context.Context, *einvoice.Invoice) (*einvoice.Invoice, error),
) (next move, err error) {
	w := i.wanted()
	for {
		switch next = decideSale(w, t.Known, f, i.Clock.Now()); next.do {
		case reads:
			f.read[lower(next.id)], err = i.readOne(ctx, t, next)
		case asks:
			f.asked[lower(string(next.invoice.ID))], err = ask(ctx, next.invoice)
		default:
			return next, nil
		}
		if err != nil {
			return next, err
		}
	}
}

// execute does what was decided.
func (i *Issuing) execute(ctx context.Context, t *once.Turn, next move) (*einvoice.Invoice, error) {
	if next.isLooked {
		if t.Known = next.record; !i.sent {
			i.before = next.seen
		}
	}
	v := next.invoice
	if next.isToRecord(i.state.id == "") {
		if err := t.Confirm(ctx, t.Known); err != nil {
			return nil, err
		}
	}
	switch next.do {
	case sends:
		return i.send(ctx, t, v, next.isSame)
	case issues:
		return i.issueDraft(ctx, t, v)
	case stops:
		return nil, i.stopped(t, next)
	case looksAgain:
		return nil, once.ErrLookAgain
	case reads, asks, follows:
	}
	if next.isLost {
		i.noteNotMerged(v, i.before)
	}
	if next.isAdopted {
		i.note(Adopted, v, nil)
	}
	return v, nil
}

// isToRecord reports whether the record is swapped before the move. What is sent swaps it by itself. A new block
// records also what it adopts as it is: a block that leaves with the invoice sees then that it must not cancel it.
func (m move) isToRecord(isNew bool) bool {
	switch m.do {
	case stops:
		return m.learned
	case follows:
		isAdopted := isNew && m.step != SendsOver && einvoice.SameID(m.record.Result, m.invoice.ID)
		return m.learned || isAdopted
	default:
		return false
	}
}

// send sends the payload. previous is the draft or rejected invoice that it replaces under the same id, if any; isSame
// reports whether that one has this payload already.
func (i *Issuing) send(
	ctx context.Context, t *once.Turn, previous *einvoice.Invoice, isSame bool,
) (*einvoice.Invoice, error) {
	body, err := issuingBody(i.Payload, i.IntegrationID, i.Issue)
	if err != nil {
		return nil, err
	}
	release, err := i.admit(ctx, &i.Service, []string{i.Model}) // The company, the environment.
	if err != nil {
		return nil, err
	}
	before, sent := t.Known, saleNote{Digest: i.content(), Block: i.Holder}
	posted, err := i.Client.CreateInvoice(ctx, i.Model, body, t.Sending(sent, "")) // Permit, swap, first byte.
	release()
	id, current := einvoice.Text(""), posted
	switch {
	case err != nil && Mentions(err, fiscal.CodeAlreadyAuthorized):
		err = unusableError{err}
	case err == nil:
		id = posted.ID
		if current = i.withName(ctx, posted); !i.isNamed(current) {
			err = errAboutAnother
		}
	}
	err = i.recordOutcome(ctx, t, Post, before, "", id, err)
	switch {
	case current != posted && !i.isNamed(current):
		return nil, i.misnamed(current)
	case err != nil:
		return nil, err
	}
	if previous != nil {
		i.noteNotMerged(posted, []*einvoice.Invoice{previous})
		i.resent = &resent{rejected: previous, isSame: isSame, at: i.Clock.Now()}
		if !isSame && i.resent.isAnsweredBy(posted) { // It holds the former payload, as far as it shows.
			t.Keep(ctx, t.Known.Noted(saleNote{Trust: doubtful, Block: i.Holder}))
		}
	}
	return posted, nil
}

// withName is an answer as the service shows it by its id, if the answer has no name. It may be another sale's: that
// must be known before the record says that this one is settled.
func (i *Issuing) withName(ctx context.Context, posted *einvoice.Invoice) *einvoice.Invoice {
	if posted.IntegrationID != "" {
		return posted
	}
	if current, err := i.Client.Invoice(ctx, i.Model, string(posted.ID)); err == nil {
		return current
	}
	return posted
}

// issueDraft issues a draft by its id, once in a run. Where the answer holds no invoice, it reads the invoice.
func (i *Issuing) issueDraft(ctx context.Context, t *once.Turn, draft *einvoice.Invoice) (*einvoice.Invoice, error) {
	release, err := i.admit(ctx, &i.Service, []string{i.Model})
	if err != nil {
		return nil, err
	}
	id, note := string(draft.ID), journal.NoteOf[saleNote](t.Known)
	issued, err := i.Client.IssueInvoice(ctx, i.Model, id, t.Sending(note, id))
	release()
	if once.IsUnsent(err) {
		return nil, err
	}
	i.issuedDraft = true
	if err == nil || einvoice.IsRefusal(err) {
		t.Settle(ctx, id) // Refused, it is the draft that it was.
	}
	if err == nil && issued != nil && einvoice.SameID(issued.ID, draft.ID) {
		return issued, nil
	}
	current, readErr := i.Client.Invoice(ctx, i.Model, id)
	switch {
	case readErr != nil:
		return nil, i.requestFailed(ReadDraft, draft, readErr)
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && current.IsDraft():
		return nil, i.requestFailed(IssueDraft, draft, err)
	}
	i.unanswered = err
	return current, nil
}

// stopped is the problem that ends a run.
func (i *Issuing) stopped(t *once.Turn, next move) error {
	if next.kind == OtherCompany {
		return i.checkIssuerOf(next.invoice)
	}
	p := i.problem(next.kind, next.invoice, nil)
	p.Differences, p.Refused, p.Found = next.differ, next.isRefused, next.found
	if next.showsRecord {
		p.Record = t.Where()
	}
	switch next.kind {
	case AnswerLost:
		p.Cause, p.LookedFor, p.Repetitions = i.lost, i.Patience, i.repetitions
	case Misnamed:
		p.Name = string(next.invoice.IntegrationID)
	case Vanished:
		p.Name = next.id
	case Unlisted:
		p.Cause = cmp.Or(i.lost, i.noList)
	default:
	}
	return p
}

// log tells in one line what was found, what follows and why.
func (m move) log(ctx context.Context, thing, name string) {
	fields := map[string]any{"name": name, "next": m.do.String(), "why": m.why}
	switch {
	case m.invoice != nil:
		fields["found"], fields["status"] = string(m.invoice.ID), string(m.invoice.Status)
	case m.order != nil:
		fields["found"], fields["status"] = string(m.order.ID), string(m.order.Status)
	}
	if m.do == stops {
		fields["problem"] = string(m.kind)
	}
	tflog.Info(ctx, "decided about the "+thing, fields)
}

// noteNotMerged notes which drafts and rejected invoices the service kept beside the one that was sent in their place.
func (i *Issuing) noteNotMerged(sent *einvoice.Invoice, before []*einvoice.Invoice) {
	for _, previous := range before {
		if IsCorrectable(previous) && !einvoice.SameID(previous.ID, sent.ID) {
			i.note(NotMerged, sent, previous)
		}
	}
}
