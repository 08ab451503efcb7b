package engine

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// saleWanted is all that a decision knows of the wanted invoice. It is the same in each look of a run.
type saleWanted struct {
	Want
	digest  string // of the payload
	inState string // the id that a state has, "" for none
	changed bool   // another payload than that of the state is wanted
	block   string // names the block of the configuration to the journal

	named   func(*einvoice.Invoice) bool         // it shows the name of the sale, or none
	differ  func(*einvoice.Invoice) []Difference // between the payload and an invoice
	ofOther func(*einvoice.Invoice) bool         // another company has issued it
}

// decideSale says what a run does next about one invoice. It touches nothing: all that it knows was read before, and a
// fact that it lacks is its answer. The first rule that answers decides, so that their order is the precedence. One
// that does not answer may add to the decision what it has worked out, for those after it.
func decideSale(w *saleWanted, r journal.Record, f *saleFacts, now time.Time) move {
	d := &saleDecision{
		saleWanted: w, saleFacts: f, now: now, record: r, note: journal.NoteOf[saleNote](r),
		all: slices.Clone(f.listed),
	}
	for _, rule := range saleRules {
		if next := rule.apply(d); next != nil {
			next.why = rule.why
			return *next
		}
	}
	return move{do: stops, kind: Several} // The last rule always answers.
}

var saleRules = []struct {
	why   string
	apply func(*saleDecision) *move
}{
	{"the service lists none of this model", (*saleDecision).withoutList},
	{"another block is canceling it", (*saleDecision).beingCanceled},
	{"a request may still take effect", (*saleDecision).inDoubt},
	{"the state or the journal knows more than the list", (*saleDecision).besideTheList},
	{"a valid one is gone", (*saleDecision).vanished},
	{"several may be valid", (*saleDecision).several},
	{"the service has given it another name", (*saleDecision).misnamed},
	{"the answer was lost", (*saleDecision).afterLostAnswer},
	{"there is none", (*saleDecision).none},
	{"only a list has shown it", (*saleDecision).readAgain},
	{"another company has issued it", (*saleDecision).ofOtherCompany},
	{"there is a draft that nobody here has made", (*saleDecision).othersDraft},
	{"a rejected one stands beside the draft", (*saleDecision).rejectedBeside},
	{"it was rejected", (*saleDecision).rejected},
	{"by its status", (*saleDecision).byStatus},
}

// saleDecision is what the rules have worked out so far.
type saleDecision struct {
	*saleWanted
	*saleFacts
	now time.Time

	record journal.Record
	note   saleNote

	all      []*einvoice.Invoice // of the sale
	renamed  *einvoice.Invoice   // answered in its place under another name; nil for none
	v        *einvoice.Invoice   // the sale goes on with it; nil for none
	adopts   bool                // v is somebody's draft of the wanted content
	isLooked bool                // all of the sale is known
}

// known is the record as it is known by now.
func (d *saleDecision) known() journal.Record { return d.record.Noted(d.note) }

// then is a move with what this look has shown. learned is the record that it brings, if it is another one.
func (d *saleDecision) then(next move, learned journal.Record) *move {
	next.record, next.seen, next.isLooked = d.known(), d.all, d.isLooked
	if learned != next.record {
		next.record, next.learned = learned, true
	}
	return &next
}

func (d *saleDecision) readFirst(id string, next move) *move {
	next.do, next.id = reads, id
	return d.then(next, d.known())
}

func (d *saleDecision) stop(kind Kind, v *einvoice.Invoice) *move {
	return d.then(move{do: stops, kind: kind, invoice: v}, d.known())
}

// isDoubtful reports whether a request may still take effect, or be invisible.
func (d *saleDecision) isDoubtful() bool {
	return isOpen(d.record, d.patience, d.now)
}

// isYoung reports whether a record is less than the patience old.
func isYoung(r journal.Record, patience time.Duration, now time.Time) bool {
	return now.Before(r.Stamp.Add(patience))
}

// isOpen reports whether a record is of a request that left less than the patience ago.
func isOpen(r journal.Record, patience time.Duration, now time.Time) bool {
	return r.Phase == journal.Sending && isYoung(r, patience, now)
}

func (d *saleDecision) isAsBefore(v *einvoice.Invoice) bool { return isAsIn(d.before, v) }

// isProof reports whether an invoice proves what became of a request. One that was rejected or is a draft proves
// nothing: the correction that is on its way does not show in it.
func (d *saleDecision) isProof(v *einvoice.Invoice) bool {
	return !IsCorrectable(v) && decide(v, d.Want) != decideAdopt && !d.isAsBefore(v)
}

// withoutList: NFC-e need not be listed. The record alone decides then: what it knows to be idle is sent once, and a
// doubt ends the run, because nothing could settle it.
func (d *saleDecision) withoutList() *move {
	if !d.noList {
		return nil
	}
	known := d.record.Result
	id := cmp.Or(known, d.inState)
	if d.record.Phase == journal.Idle {
		return nil
	}
	got, isRead := d.has(id)
	switch {
	case id != "" && !isRead:
		return d.readFirst(id, move{patient: true, as: LookUp})
	case got.invoice == nil, !d.named(got.invoice), known == "" && !d.isProof(got.invoice):
		if d.lost == nil && d.isDoubtful() { // Another run may be about to record the answer.
			return &move{do: looksAgain}
		}
		return &move{do: stops, kind: Unlisted, showsRecord: true}
	}
	d.all = []*einvoice.Invoice{got.invoice}
	return nil
}

// beingCanceled: a block was renamed without `moved`, and its destroy is canceling the invoice. To adopt it now would
// bring an invoice into state that is canceled a moment later. A cancellation that nobody works on any more is over.
func (d *saleDecision) beingCanceled() *move {
	if d.note.Canceling {
		got, isRead := d.has(d.record.Result)
		if !isRead {
			return d.readFirst(d.record.Result, move{patient: true, as: LookUp})
		}
		if v := got.invoice; v != nil && EndingOf(string(v.Status)) != Forgotten && isOpen(d.record, d.alive, d.now) {
			return &move{do: stops, kind: BeingCanceled, invoice: v}
		}
		d.record.Phase, d.note.Canceling = journal.Settled, false
	}
	d.note.Block = d.block
	return nil
}

// inDoubt: a request left moments ago, of a run that was killed or is still alive. The list may lag, so that nothing
// is sent before the service shows what became of it: else there are two invoices.
func (d *saleDecision) inDoubt() *move {
	if !d.isDoubtful() {
		return nil
	}
	for n, listed := range d.all {
		if !d.isProof(listed) {
			continue
		}
		got, isRead := d.has(string(listed.ID))
		if !isRead {
			return d.readFirst(string(listed.ID), move{as: LookUp})
		}
		if got.invoice == nil { // So new that only the list has it.
			continue
		}
		if d.all[n] = got.invoice; d.isProof(got.invoice) {
			return nil
		}
	}
	return &move{do: looksAgain}
}

// besideTheList: the invoice of the state and that of the record are read by id, because a list may lag.
func (d *saleDecision) besideTheList() *move {
	if d.inState != "" {
		got, _ := d.has(d.inState)
		if got.invoice == nil {
			return d.readFirst(d.inState, move{as: Read, must: true})
		}
		d.all = replacedBy(d.all, got.invoice)
	}
	if id := d.record.Result; id != "" && !slices.ContainsFunc(d.all, hasID(id)) {
		got, isRead := d.has(id)
		switch {
		case !isRead:
			return d.readFirst(id, move{patient: true, as: LookUp})
		case got.invoice == nil: // Gone.
		case d.named(got.invoice):
			d.all = append(d.all, got.invoice)
		case d.record.Phase == journal.Sending && !got.isOtherSale:
			d.renamed = got.invoice
		}
	}
	d.isLooked = true
	return nil
}

// vanished: the tax authority may still have what the service has lost, such as with a company that was deleted and
// created again. Sent again, it would be a second legal invoice.
func (d *saleDecision) vanished() *move {
	got, isRead := d.has(d.record.Result)
	isShown := func(v *einvoice.Invoice) bool { return v.Meaning().Live || v.Meaning().HasEnded() }
	if !d.note.Valid || !isRead || got.invoice != nil || slices.ContainsFunc(d.all, isShown) {
		return nil
	}
	return d.then(move{do: stops, kind: Vanished, id: d.record.Result, showsRecord: true}, d.known())
}

// several: two that may be valid are for a person to look at.
func (d *saleDecision) several() *move {
	v, several := chosen(d.all, d.record.Result)
	d.v = v
	if several == nil {
		return nil
	}
	return d.then(move{do: stops, kind: Several, found: several}, d.known())
}

// misnamed: the service answered with an invoice of the same content and another name. It may be this sale, so that
// nothing is sent until a person has looked.
func (d *saleDecision) misnamed() *move {
	if d.v != nil || d.renamed == nil || len(d.differ(d.renamed)) > 0 {
		return nil
	}
	return d.then(move{do: stops, kind: Misnamed, invoice: d.renamed, showsRecord: true}, d.known())
}

// afterLostAnswer: this run has sent the payload, and the answer was lost. The patience is over by now: what was not
// there before it sent is the outcome.
func (d *saleDecision) afterLostAnswer() *move {
	if d.lost == nil {
		return nil
	}
	after, _ := chosen(slices.DeleteFunc(slices.Clone(d.all), d.isAsBefore), "") // Several would have ended it before.
	switch {
	case after == nil, decide(after, d.Want) == decideAdopt, after.IsDraft() && d.Issue:
		if isOutcome := after != nil && !IsCorrectable(after); isOutcome || !d.mayRepeat {
			return d.stop(AnswerLost, after)
		}
		return nil
	}
	learned := d.note
	if differ := d.differ(after); len(differ) > 0 && !IsRejected(after) {
		next := move{do: stops, kind: Another, invoice: after, differ: differ}
		next.isRefused = !errors.Is(d.lost, einvoice.ErrAmbiguous) && Mentions(d.lost, fiscal.CodeAlreadyAuthorized)
		if after.IsDraft() {
			return d.then(next, d.known())
		}
		learned.Digest, learned.Trust = "", "" // It was not made of what was sent: a payload that fits may adopt it.
		return d.then(next, d.record.In(journal.Settled, string(after.ID)).Noted(learned))
	}
	if after.IsDraft() { // It may hold the former payload.
		learned.Digest, learned.Trust = "", doubtful
	}
	next := move{do: follows, invoice: after, isLost: true}
	return d.then(next, d.record.In(journal.Settled, string(after.ID)).Noted(learned))
}

// none: nothing is there, and nothing may still appear.
func (d *saleDecision) none() *move {
	if d.v != nil {
		return nil
	}
	return d.then(move{do: sends}, d.known())
}

// readAgain: a list may show a rejection or a draft of before the authority has authorized it, or what was in progress
// before the authority has rejected it, which another content would wrongly come too late for.
func (d *saleDecision) readAgain() *move {
	isOpen, learned := d.v.Meaning().Live && !d.v.Meaning().Valid, d.learned()
	isOther := !d.isSure(learned) && (d.isJournaled(learned) || len(d.differ(d.v)) > 0)
	if !IsCorrectable(d.v) && !(isOpen && isOther) {
		return nil
	}
	got, isRead := d.has(string(d.v.ID))
	switch {
	case !isRead, got.invoice == nil && d.patience > 0:
		return d.readFirst(string(d.v.ID), move{as: LookUp, must: d.patience > 0})
	case got.invoice != nil:
		d.v = got.invoice
	}
	return nil
}

func (d *saleDecision) ofOtherCompany() *move {
	if !d.ofOther(d.v) {
		return nil
	}
	return d.stop(OtherCompany, d.v)
}

// othersDraft: somebody has made a draft under this name. To send over it would take away what they have written. With
// `issue = false` and the same content it is what is wanted.
func (d *saleDecision) othersDraft() *move {
	isIDKnown := d.inState+d.record.Result != ""
	isSending := d.record.Phase == journal.Sending
	if d.v.IsDraft() && !isIDKnown && d.note.Digest == d.digest && !d.Issue {
		d.adopts = len(d.differ(d.v)) == 0 // Of this sale's own lost request, most likely.
		return nil
	}
	wasAdopted := d.note.Trust == adopted && !d.changed
	n := slices.IndexFunc(d.all, (*einvoice.Invoice).IsDraft)
	if n < 0 || !IsCorrectable(d.v) || !wasAdopted && (isIDKnown || isSending) {
		return nil
	}
	draft := d.all[n]
	if d.v.IsDraft() {
		draft = d.v
	}
	differ := d.differ(draft)
	if d.adopts = draft == d.v && !d.Issue && len(differ) == 0; d.adopts || wasAdopted {
		return nil
	}
	return d.then(move{do: stops, kind: OthersDraft, invoice: draft, differ: differ}, d.known())
}

// rejectedBeside: before a draft is issued or sent over, the authority is asked about each rejected one beside it: it
// may have authorized that one by now.
func (d *saleDecision) rejectedBeside() *move {
	if !d.v.IsDraft() || !d.Issue && d.isSure(d.learned()) {
		return nil
	}
	for _, beside := range d.all {
		if !IsRejected(beside) {
			continue
		}
		asked, isAsked := d.asked[lower(string(beside.ID))]
		if !isAsked {
			return d.then(move{do: asks, invoice: beside, step: SendsOver}, d.known())
		}
		if !IsRejected(asked) {
			d.v = asked
			return nil
		}
	}
	return nil
}

// rejected: the authority may hold another result than the service shows, so that it is asked before anything is sent
// over a rejected one. What the state has and nobody changes stays rejected.
func (d *saleDecision) rejected() *move {
	if !IsRejected(d.v) {
		return nil
	}
	learned := d.learned()
	if einvoice.SameID(d.inState, d.v.ID) && !d.changed {
		return d.then(move{do: follows, invoice: d.v}, learned)
	}
	asked, isAsked := d.asked[lower(string(d.v.ID))]
	if !isAsked {
		return d.then(move{do: asks, invoice: d.v, step: SendsOver}, learned)
	}
	return d.goOn(asked, learned)
}

func (d *saleDecision) byStatus() *move { return d.goOn(d.v, d.learned()) }

// goOn goes on with an invoice. learned is what the record learns of it as it was before the authority was asked.
func (d *saleDecision) goOn(v *einvoice.Invoice, learned journal.Record) *move {
	isSure, isInState := d.isSure(learned), einvoice.SameID(d.inState, d.v.ID)
	differ := d.differ(v)
	end := func(next move) *move {
		next.invoice = v
		return d.then(next, learned)
	}
	switch next := decide(v, d.Want); {
	case next == decideEnded:
		return end(move{do: stops, kind: Ended})
	case IsRejected(v), IsCorrectable(v) && !isSure:
		return end(move{do: sends, step: SendsOver, isSame: isSure})
	case len(differ) > 0 && !isInState:
		return end(move{do: stops, kind: Another, differ: differ})
	case (isInState || d.isJournaled(learned)) && !isSure:
		return end(move{do: stops, kind: Settled})
	case next == decideIssue:
		return end(move{do: issues, step: IssuesDraft})
	case next == decideDone && !d.Issue && !v.IsDraft():
		return end(move{do: stops, kind: NotADraft})
	case next == decideDone:
		return end(move{do: follows, isAdopted: d.inState == "" && !d.sent, step: Takes})
	}
	return end(move{do: follows, step: Awaits})
}

// learned is what the record learns from the invoice that the sale goes on with.
func (d *saleDecision) learned() journal.Record {
	record, note := d.record, d.note
	isKnown := note.Digest != "" || note.Trust != ""
	switch {
	case record.Phase == journal.Settled:
	case IsCorrectable(d.v):
		if record = record.In(journal.Settled, string(d.v.ID)); isKnown && !einvoice.SameID(d.record.Result, d.v.ID) {
			note.Digest, note.Trust = "", doubtful // The lost request may be on its way to it.
		}
	case !isKnown, note.Digest == d.digest:
		record = record.In(journal.Settled, string(d.v.ID))
	}
	if d.adopts {
		note.Trust = adopted
	}
	return record.Noted(note)
}

// isJournaled reports whether the record names the content of the invoice, which the state may not have.
func (d *saleDecision) isJournaled(learned journal.Record) bool {
	isUnanswered := d.record.Phase == journal.Sending
	return journal.NoteOf[saleNote](learned).Digest != "" && (einvoice.SameID(learned.Result, d.v.ID) || isUnanswered)
}

// isSure reports whether the invoice certainly is what is wanted.
func (d *saleDecision) isSure(learned journal.Record) bool {
	if d.isJournaled(learned) {
		return journal.NoteOf[saleNote](learned).Digest == d.digest
	}
	isState := einvoice.SameID(d.inState, d.v.ID) && !d.changed
	return d.adopts ||
		isState && d.record.Phase != journal.Sending && journal.NoteOf[saleNote](learned).Trust == ""
}
