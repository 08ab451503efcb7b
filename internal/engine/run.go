package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Why no second invoice is sent, from top to bottom:
//
//   - issueOnce is the loop: it loads the record of the sale from the journal, gathers facts, decides and executes,
//     again until the invoice is at the service or something ends the run.
//   - gather and decided read: the service's list under the name, and by id what the state and the record know.
//   - decideSale (decide_sale.go) decides. While a request may still take effect, it answers "look again".
//   - execute sends nothing but by send, issueDraft or Cancel. There stand, in this order: the company, the environment,
//     the permit of the rate limit, the swap of the record to "sending", the first byte. Whoever loses the swap has sent
//     nothing. A run that is killed later leaves a record that is "sending", and the next run looks for the outcome.
//   - recordOutcome (attempt.go) records the answer. A lost answer is not repeated: the loop looks what became of it.

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
			f.asked[lower(next.id)], err = ask(ctx, next.invoice)
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
	// What is sent swaps the record by itself. A block that leaves with this invoice sees now that it must not cancel it.
	isAdoption := next.do == follows && i.state.id == "" && v != nil && einvoice.SameID(t.Known.Result, v.ID)
	if next.learned && (next.do == follows || next.do == stops) || isAdoption && next.step != SendsOver {
		if err := t.Confirm(ctx, t.Known); err != nil {
			return nil, err
		}
	}
	switch next.do {
	case sends:
		return i.send(ctx, t, v)
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

// send sends the payload. previous is the draft or rejected invoice that it replaces under the same id, if any.
func (i *Issuing) send(ctx context.Context, t *once.Turn, previous *einvoice.Invoice) (*einvoice.Invoice, error) {
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
	id := einvoice.Text("")
	switch {
	case err != nil && Mentions(err, fiscal.CodeAlreadyAuthorized):
		err = unusableError{err}
	case err == nil && !i.isNamed(posted):
		id, err = posted.ID, errAboutAnother
	case err == nil:
		id = posted.ID
	}
	if err := i.recordOutcome(ctx, t, Post, before, "", id, err); err != nil {
		return nil, err
	}
	if posted.IntegrationID == "" {
		current, err := i.Client.Invoice(ctx, i.Model, string(posted.ID))
		if err == nil && !i.isNamed(current) {
			return nil, i.misnamed(current)
		}
	}
	if previous != nil {
		i.noteNotMerged(posted, []*einvoice.Invoice{previous})
	}
	return posted, nil
}

// issueDraft issues a draft by its id, at most once. Where the answer holds no invoice, it reads the invoice.
func (i *Issuing) issueDraft(ctx context.Context, t *once.Turn, draft *einvoice.Invoice) (*einvoice.Invoice, error) {
	release, err := i.admit(ctx, &i.Service, []string{i.Model})
	if err != nil {
		return nil, err
	}
	id, note := string(draft.ID), noteOfSale(t.Known)
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
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && isDraft(current):
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
