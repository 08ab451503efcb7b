package engine

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// wanted is all that a decision knows of what is wanted. It is the same in each look of a run.
type wanted struct {
	Want
	digest  string // of the payload
	inState string // the id that a state has, "" for none
	changed bool   // another payload than that of the state is wanted
	holder  string // names the block to the journal

	named  func(*einvoice.Invoice) bool         // it shows the name of the sale, or none
	differ func(*einvoice.Invoice) []Difference // between the payload and an invoice
	others func(*einvoice.Invoice) bool         // another company has issued it
}

// facts are what one look has seen, and what the run knows from before it.
type facts struct {
	listed  []*einvoice.Invoice
	noList  bool                         // the service lacks it
	read    map[string]reading           // by id, since the list
	asked   map[string]*einvoice.Invoice // as the authority has them
	foreign journal.Record               // RETIRED by an owner in the key

	before    []*einvoice.Invoice // what was there before this run sent
	sent      bool
	lost      error // why the last request had no usable answer
	mayRepeat bool  // that lets it be sent again
	patience  time.Duration
}

type reading struct {
	invoice   *einvoice.Invoice // nil: not found
	otherSale bool              // the journal knows it under the spelling that it shows
}

type doing int

const (
	readsOne   doing = iota // reads id
	asksOne                 // asks the authority about id
	looksAgain              // after a pause
	sends                   // the payload, over invoice or nil
	issues                  // the draft invoice
	follows                 // invoice
	stops                   // with kind
)

func (d doing) String() string {
	return [...]string{"read", "ask", "pause", "send", "issue", "follow", "stop"}[d]
}

// move is what a run does next.
type move struct {
	do      doing
	invoice *einvoice.Invoice
	record  journal.Record // as it is known then
	learned bool           // record is to be swapped, if the move does not do that itself

	id      string // readsOne, asksOne
	patient bool   // readsOne: it is known to have existed
	must    bool   // readsOne: that it is not found is an error
	as      Request

	kind    Kind // stops
	differ  []Difference
	refused bool
	found   []*einvoice.Invoice // Several
	names   bool                // the problem names the record
	lost    bool                // follows: what this run sent and was not answered
	adopted bool                // follows: note it
	step    Step                // what a plan says

	seen   []*einvoice.Invoice // all of the sale, once that is known
	looked bool                // it is known
}

func stop(kind Kind, v *einvoice.Invoice) move { return move{do: stops, kind: kind, invoice: v} }

func (f *facts) has(id string) (reading, bool) { r, ok := f.read[lower(id)]; return r, ok }

func lower(s string) string { return strings.ToLower(s) }

// compared is what is known of the content of an invoice that was found.
type compared struct {
	inState   bool // the state has it
	journaled bool // the journal names its content, which the state may not have
	same      bool // it is certainly what is wanted
}

// decideSale is the whole of issuing one invoice.
func decideSale(w *wanted, r journal.Record, f *facts, now time.Time) move { //nolint
	foreign := f.foreign
	young := func(since time.Time) bool { return !since.IsZero() && now.Before(since.Add(f.patience)) }
	inDoubt := func() bool {
		since := foreign.Stamp
		if r.Phase == journal.Sending {
			since = r.Stamp
		}
		return young(since)
	}
	asBefore := func(v *einvoice.Invoice) bool { return asIn(f.before, v) }
	settles := func(v *einvoice.Invoice) bool {
		return !IsCorrectable(v) && decide(v, w.Want) != decideAdopt && !asBefore(v)
	}
	unproven := func() move {
		if f.lost == nil && inDoubt() {
			return move{do: looksAgain}
		}
		return move{do: stops, kind: Unlisted, names: true}
	}

	// 1. What shows under the name.
	listed := slices.Clone(f.listed)
	if f.noList {
		known := cmp.Or(r.Result, foreign.Result)
		id := cmp.Or(known, w.inState)
		switch {
		case known == "" && r.Phase == journal.Idle:
			listed = nil
		case id == "":
			return unproven()
		default:
			got, ok := f.has(id)
			if !ok {
				return move{do: readsOne, id: id, patient: true, as: LookUp}
			}
			if v := got.invoice; v == nil || !w.named(v) || known == "" && !settles(v) {
				return unproven()
			}
			listed = []*einvoice.Invoice{got.invoice}
		}
	}
	if foreign.Phase != journal.Idle && (w.inState != "" && einvoice.SameID(w.inState, foreign.Result) ||
		slices.ContainsFunc(listed, hasID(foreign.Result))) {
		r, foreign = foreign, journal.Record{}
	}

	// 2. A cancellation by another block.
	if r.Content == canceling {
		got, ok := f.has(r.Result)
		if !ok {
			return move{do: readsOne, id: r.Result, patient: true, as: LookUp}
		}
		if v := got.invoice; v != nil && EndingOf(string(v.Status)) != Forgotten && inDoubt() {
			return stop(BeingCanceled, v)
		}
		r.Phase, r.Content = journal.Settled, ""
	}
	r.Holder = w.holder

	// 3. A doubt needs a proof: what may not show yet must not be sent again.
	if inDoubt() {
		proven := false
		for n, c := range listed {
			if !settles(c) {
				continue
			}
			got, ok := f.has(string(c.ID))
			if !ok {
				return move{do: readsOne, id: string(c.ID), as: LookUp}
			}
			if got.invoice == nil { // So new that only the list has it.
				continue
			}
			if listed[n] = got.invoice; settles(got.invoice) {
				proven = true
				break
			}
		}
		if !proven {
			return move{do: looksAgain}
		}
	}

	// 4. What the state and the record know beside the list.
	all := listed
	var renamed *einvoice.Invoice
	if w.inState != "" {
		got, ok := f.has(w.inState)
		if !ok || got.invoice == nil {
			return move{do: readsOne, id: w.inState, as: Read, must: true}
		}
		all = replacedBy(all, got.invoice)
	}
	if r.Result != "" && !slices.ContainsFunc(all, hasID(r.Result)) {
		got, ok := f.has(r.Result)
		if !ok {
			return move{do: readsOne, id: r.Result, patient: true, as: LookUp}
		}
		switch v := got.invoice; {
		case v == nil:
		case w.named(v):
			all = append(all, v)
		case r.Phase == journal.Sending && !got.otherSale:
			renamed = v
		}
	}
	with := func(s move) move {
		if s.seen, s.looked = all, true; !s.learned {
			s.record = r
		}
		return s
	}
	v, several := chosen(all, r.Result)
	if several != nil {
		return with(move{do: stops, kind: Several, found: several})
	}
	if v == nil && renamed != nil && len(w.differ(renamed)) == 0 {
		return with(move{do: stops, kind: Misnamed, invoice: renamed, names: true})
	}

	// 5. This run has sent it, and has lost the answer.
	if f.lost != nil {
		after, several := chosen(slices.DeleteFunc(slices.Clone(all), asBefore), "")
		draft := after != nil && isDraft(after)
		switch {
		case several != nil:
			return with(move{do: stops, kind: Several, found: several})
		case after == nil, decide(after, w.Want) == decideAdopt, draft && w.Issue:
			if after != nil && !IsCorrectable(after) || !f.mayRepeat {
				return with(stop(AnswerLost, after))
			}
		default:
			learned := r.In(journal.Settled, string(after.ID))
			if differ := w.differ(after); len(differ) > 0 && !IsRejected(after) {
				s := move{do: stops, kind: Another, invoice: after, differ: differ}
				s.refused = !errors.Is(f.lost, einvoice.ErrAmbiguous) && Mentions(f.lost, fiscal.CodeAlreadyAuthorized)
				if !draft {
					learned.Content = ""
					s.record, s.learned = learned, true
				}
				return with(s)
			}
			if draft {
				learned.Content = inDoubt_
			}
			return with(move{do: follows, invoice: after, record: learned, learned: true, lost: true})
		}
	}

	// 6. Nothing is there.
	if v == nil {
		return with(move{do: sends})
	}

	// 7. What only a list has shown may be valid by now.
	if IsCorrectable(v) {
		switch got, ok := f.has(string(v.ID)); {
		case !ok, got.invoice == nil && f.patience > 0:
			return with(move{do: readsOne, id: string(v.ID), as: LookUp, must: f.patience > 0})
		case got.invoice != nil:
			v = got.invoice
		}
	}
	if w.others(v) {
		return with(stop(OtherCompany, v))
	}

	// 8. A draft of somebody else.
	wasAdopted := r.Content == adopted && !w.changed
	idKnown := w.inState+r.Result+foreign.Result != ""
	isSending := r.Phase == journal.Sending
	adopts := false
	if n := slices.IndexFunc(all, isDraft); isDraft(v) && isSending && !idKnown && r.Content == w.digest && !w.Issue {
		adopts = len(w.differ(v)) == 0
	} else if n >= 0 && IsCorrectable(v) && (!idKnown && !isSending || wasAdopted) {
		draft := all[n]
		if isDraft(v) {
			draft = v
		}
		differ := w.differ(draft)
		if adopts = draft == v && !w.Issue && len(differ) == 0; !adopts && !wasAdopted {
			return with(move{do: stops, kind: OthersDraft, invoice: draft, differ: differ})
		}
	}

	// 9. What the record learns of it, and whether it is what is wanted.
	learned := learnedOf(w, r, v, adopts)
	as := comparedTo(w, r, learned, v, adopts)
	if isDraft(v) && (w.Issue || !as.same) {
		for _, beside := range all {
			if !IsRejected(beside) {
				continue
			}
			asked, ok := f.asked[lower(string(beside.ID))]
			if !ok {
				return with(move{do: asksOne, id: string(beside.ID), invoice: beside, step: SendsOver})
			}
			if !IsRejected(asked) {
				v = asked
				break
			}
		}
		learned = learnedOf(w, r, v, adopts)
		as = comparedTo(w, r, learned, v, adopts)
	}
	ends := func(s move) move {
		if learned != r {
			s.record, s.learned = learned, true
		}
		return with(s)
	}
	if IsRejected(v) {
		if as.inState && !w.changed {
			return ends(move{do: follows, invoice: v})
		}
		asked, ok := f.asked[lower(string(v.ID))]
		if !ok {
			return ends(move{do: asksOne, id: string(v.ID), invoice: v, step: SendsOver})
		}
		v = asked
	}
	differ := w.differ(v)
	switch next := decide(v, w.Want); {
	case next == decideEnded:
		return ends(stop(Ended, v))
	case IsRejected(v), IsCorrectable(v) && !as.same:
		return ends(move{do: sends, invoice: v, step: SendsOver})
	case len(differ) > 0 && !as.inState:
		return ends(move{do: stops, kind: Another, invoice: v, differ: differ})
	case (as.inState || as.journaled) && !as.same:
		return ends(stop(Settled, v))
	case next == decideIssue:
		return ends(move{do: issues, invoice: v, step: IssuesDraft})
	case next == decideDone && !w.Issue && !isDraft(v):
		return ends(stop(NotADraft, v))
	case next == decideDone:
		return ends(move{do: follows, invoice: v, adopted: w.inState == "" && !f.sent, step: Takes})
	}
	return ends(move{do: follows, invoice: v, step: Awaits})
}

const inDoubt_ = inDoubt

func learnedOf(w *wanted, r journal.Record, v *einvoice.Invoice, adopts bool) journal.Record {
	learned := r
	switch {
	case r.Phase == journal.Settled:
	case IsCorrectable(v):
		learned = r.In(journal.Settled, string(v.ID))
		if r.Content != "" && !einvoice.SameID(r.Result, v.ID) {
			learned.Content = inDoubt_
		}
	case r.Content == "" || r.Content == w.digest:
		learned = r.In(journal.Settled, string(v.ID))
	}
	if adopts {
		learned.Content = adopted
	}
	return learned
}

func comparedTo(w *wanted, r, learned journal.Record, v *einvoice.Invoice, adopts bool) compared {
	unanswered := r.Phase == journal.Sending
	doubted := learned.Content == inDoubt_ || learned.Content == adopted
	as := compared{inState: einvoice.SameID(w.inState, v.ID)}
	as.same = adopts || as.inState && !w.changed && !unanswered && !doubted
	as.journaled = learned.Content != "" && !doubted &&
		(einvoice.SameID(learned.Result, v.ID) || unanswered && !IsCorrectable(v))
	if as.journaled {
		as.same = learned.Content == w.digest
	}
	return as
}

func asIn(before []*einvoice.Invoice, v *einvoice.Invoice) bool {
	return slices.ContainsFunc(before, func(b *einvoice.Invoice) bool {
		return einvoice.SameID(b.ID, v.ID) && b.Status == v.Status && sameJudgment(b, v)
	})
}

// chosen picks the invoice to go on with, or returns the several that may be valid.
func chosen(found []*einvoice.Invoice, last string) (v *einvoice.Invoice, several []*einvoice.Invoice) {
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
