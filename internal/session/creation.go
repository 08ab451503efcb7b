package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

const (
	// shortHash is how much of a hash names a request, 96 bits. It lies in the state of each
	// object, and a CLI writes all of them again after each change.
	shortHash = 24

	// shortLook is how long to look for a lost creation that is not sent again.
	shortLook = 6 * time.Second
)

// LookPauses are the pauses before each look for a change: a list may lag by seconds.
var LookPauses = []time.Duration{0, 2 * time.Second, 4 * time.Second}

// LookRepeatedly looks for objects in a list that may lag, until some match or no look is left.
func LookRepeatedly[T any](
	ctx context.Context, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool,
) (found []*T, err error) {
	ended := poll.RealTime.Few(ctx, LookPauses, func() (bool, error) {
		found, err = einvoice.Matching(list(ctx), match)
		return err == nil && len(found) > 0, nil
	})
	return found, cmp.Or(ended, err)
}

// Creation creates an object that only its values name. Provider or CLI may be killed before
// the object is in state. So the journal has a record of each creation, and the same creation
// in a later run takes the object over. Equal blocks have a record each, by number.
type Creation[T any] struct {
	What string // "customer 11222333000181 (Padaria)"

	// Fields and Extra are the request, or as much of it as names the object: all else may be corrected before the
	// next apply.
	Fields any
	Extra  json.RawMessage
	// Apart is a digest of what tells objects with the same Fields and Extra apart, and may be corrected too; "" for
	// nothing.
	Apart string

	Send func(context.Context, *einvoice.Client, einvoice.Guard) (*T, error)
	// Answers reports whether an answer may be about the object that was sent; nil for any.
	// After another one the provider looks for the new object, as after a lost answer.
	Answers func(*T) bool
	// Match reports whether an object of the list may be a lost one.
	Match func(*T) bool
	// MatchEarlier is Match for the object of an earlier creation with another Apart.
	MatchEarlier func(object *T, apart string) bool
	// Unshown is the object with an id that the service shows neither by it nor in a list; nil
	// where it is then not known whether the object exists.
	Unshown func(id string) *T
	// Named reports whether Match compares a name that only one object should have. Then a
	// creation that shows nowhere may be sent again.
	Named bool
}

// Created is the result of a creation.
type Created[T any] struct {
	Object *T
	Found  bool  // an earlier run has created it, or a request whose answer was lost
	Err    error // of a refused request; then there is no Object
}

// Create creates an object exactly once. The diagnostics have an error where it may exist or
// not, or where the journal cannot be used.
func Create[T any](
	ctx context.Context, s *Session, kind *Kind[T], c Creation[T], private PrivateData,
) (Created[T], diag.Diagnostics) {
	w := &creating[T]{Creation: c, kind: kind, session: s, journal: s.OnceByKey()}
	for {
		err := w.journal.Do(ctx, w.key(w.number), w.turn)
		switch {
		case errors.Is(err, errFree):
			w.again = append(w.doubtful, w.number)
			w.number, w.again = w.again[0], w.again[1:]
			continue
		case errors.Is(err, errTaken) && len(w.again) > 0:
			w.number, w.again = w.again[0], w.again[1:]
			continue
		case errors.Is(err, errTaken):
			w.number++
			continue
		case errors.As(err, new(*once.StoreError)) && w.lost == nil:
			// A second object costs no tax: without a journal the creation goes on.
			w.journal.Store, w.number = &journal.Memory{Now: s.process().clock.Now}, 0
			w.doubtful, w.again = nil, nil
			continue
		case err != nil:
			w.diags = w.unknown("looking for it was interrupted", err)
		case w.object != nil:
			note := fmt.Appendf(nil, "%q", w.hash()+" "+strconv.Itoa(w.number))
			w.diags.Append(private.SetKey(ctx, creationKey, note)...)
		}
		return Created[T]{w.object, w.found, w.refused}, w.diags
	}
}

// creating is a creation that goes on.
type creating[T any] struct {
	Creation[T]
	kind    *Kind[T]
	session *Session
	journal *once.Journal
	number  int // of its record, among those of equal requests

	doubtful []int // the records of earlier requests that are in doubt, and had another Apart
	again    []int // once no record is this creation's: the doubtful ones and a free one, which are still to be tried

	lost        error // why the last request had no usable answer
	lostAt      time.Time
	repetitions int
	another     einvoice.Text // the id of the object that the service answered with instead, "" for none

	object  *T
	found   bool
	refused error
	diags   diag.Diagnostics
}

var (
	errTaken = errors.New("the record belongs to another object")
	errFree  = errors.New("the record is free, but an earlier request under another name is in doubt")
)

func (w *creating[T]) hash() string {
	request, _ := json.Marshal([]any{w.kind.One, w.Fields, w.Extra}) // It is sent as JSON too.
	return attribute.HashOfText(string(request))[:shortHash]
}

func (w *creating[T]) key(number int) journal.Key { return w.session.creationKey(w.hash(), number) }

// creationKey names the record of a creation, whichever API key sends it. The accounts of a
// service share the name: an object of another account is not found by its id.
func (s *Session) creationKey(hash string, number int) journal.Key {
	key := journal.KeyOf("creation", s.Client.BaseURL(), s.process().place, hash, strconv.Itoa(number)).
		Formerly("creation", s.Client.Fingerprint(), hash)
	key.Fleeting = true
	return key
}

// turn does the next step of a creation. It returns nil when the creation has ended.
func (w *creating[T]) turn(ctx context.Context, t *once.Turn) error {
	known := t.Known
	if known.Phase == journal.Idle {
		known = t.Foreign // Settled with a key that was replaced, unless it is another account's.
	}
	isOthers := !w.session.isEarlier(known) // Of this run, or of one that goes on at the same time.
	switch {
	case known.Phase == journal.Idle && len(w.doubtful) > 0 && w.again == nil:
		return errFree // What is in doubt may be this object, before its correction.
	case known.Phase == journal.Idle:
		return w.send(ctx, t)
	case w.isApart(known) && (known.Phase == journal.Settled || w.again == nil):
		if known.Phase == journal.Sending && !isOthers {
			w.doubtful = append(w.doubtful, w.number)
		}
		return errTaken
	case known.Phase == journal.Settled && (known.Held || isOthers):
		return errTaken
	case known.Phase == journal.Settled:
		return w.takeOver(ctx, t, known)
	case isOthers && w.lost == nil:
		return errTaken
	}
	return w.look(ctx, t)
}

// creationNote is what the journal remembers of a creation: see Apart.
type creationNote struct {
	Apart string `json:"apart,omitempty"`
}

func apartOf(known journal.Record) string { return journal.NoteOf[creationNote](known).Apart }

// isApart reports whether a record is about an object that something tells apart from this one. One that cannot be read
// may be about any.
func (w *creating[T]) isApart(known journal.Record) bool {
	apart := apartOf(known)
	return apart != "" && apart != w.Apart
}

// isEarlier reports whether a record is of a run that began before this one.
func (s *Session) isEarlier(known journal.Record) bool {
	p := s.process()
	return known.Run != p.run && known.Stamp.Before(p.began)
}

// takeOver adopts the object that the same creation created in an earlier run.
func (w *creating[T]) takeOver(ctx context.Context, t *once.Turn, known journal.Record) error {
	if _, isDeleted := w.session.process().claimed.Load(einvoice.Text(known.Result)); isDeleted {
		return w.send(ctx, t)
	}
	object, err := w.kind.Get(w.session.Client, ctx, known.Result)
	if w.Unshown != nil && w.session.Client.ShowsNone(ctx, err) {
		object, err = w.Unshown(known.Result), nil
	}
	switch {
	case errors.Is(err, einvoice.ErrNotFound) && w.journal.IsYoung(known.Stamp):
		return once.ErrLookAgain // A list may lag, where there is no read by id.
	case errors.Is(err, einvoice.ErrNotFound):
		return w.send(ctx, t)
	case errors.Is(err, einvoice.ErrMissing):
		w.diags = w.unlisted(t, err)
		return nil
	case err != nil:
		w.diags = message.APIError(ctx, "look for the "+w.kind.One+" of an earlier run", err, nil)
		return nil
	}
	t.Known = known
	return w.adopt(ctx, t, object)
}

// adopt records that this run has the object now.
func (w *creating[T]) adopt(ctx context.Context, t *once.Turn, object *T) error {
	id := w.kind.ID(object)
	t.Known = t.Known.Noted(creationNote{w.Apart})
	t.Settle(ctx, string(id))
	if errors.Is(t.Unkept, journal.ErrChanged) {
		return t.Unkept
	}
	w.object, w.found = object, true
	summary, detail := "Adopted "+w.What, "The response to its creation was lost. Exactly one such "+w.kind.One+
		" was found at the service and taken into state. "+message.Sent(w.repetitions)
	if w.lost == nil {
		summary, detail = "Adopted "+w.What, fmt.Sprintf(
			"An earlier run created this %s (id %s). No second one was created. If another configuration manages it, "+
				"remove it from one of them with a `removed` block.", w.kind.One, id)
	}
	w.diags = diag.Diagnostics{diag.NewWarningDiagnostic(summary, detail)}
	return nil
}

// send sends the creation.
func (w *creating[T]) send(ctx context.Context, t *once.Turn) error {
	object, err := w.Send(ctx, w.session.Client, t.Sending(creationNote{w.Apart}, ""))
	if err == nil && w.Answers != nil && !w.Answers(object) {
		err = fmt.Errorf("it was answered with another %s, %s: %w", w.kind.One, w.kind.ID(object), einvoice.ErrAmbiguous)
		w.another = w.kind.ID(object)
	}
	if once.IsUnsent(err) {
		return err
	}
	if w.lost != nil {
		w.repetitions++
	}
	switch {
	case err == nil:
		t.Settle(ctx, string(w.kind.ID(object)))
		w.object = object
		return nil
	case errors.Is(err, einvoice.ErrAmbiguous):
		w.lost, w.lostAt = err, w.journal.Clock.Now()
		return once.ErrLookAgain
	}
	t.Keep(ctx, journal.Record{}) // The service has created nothing.
	w.refused = err
	return nil
}

// look looks for the object of a creation without an answer.
func (w *creating[T]) look(ctx context.Context, t *once.Turn) error {
	mayRepeat := w.lost == nil ||
		w.Named && w.session.Client.MaySendAgain(w.lost, w.repetitions, w.journal.Patience)
	match := w.Match
	if earlier := t.Known; w.isApart(earlier) {
		match = func(o *T) bool { return w.MatchEarlier(o, apartOf(earlier)) }
	}
	found, err := einvoice.Matching(w.kind.List(w.session.Client, ctx), match)
	isUnlisted := errors.Is(err, einvoice.ErrMissing) // Only another run can still record the answer.
	timeIsUp := !mayRepeat && !w.journal.Clock.Now().Before(w.lostAt.Add(shortLook))
	isLast := !t.InDoubt() || timeIsUp || isUnlisted && w.lost != nil
	candidates, hasYoungTwin := 0, false
	if err == nil {
		candidates, hasYoungTwin, err = w.choose(ctx, t, found, isLast)
		if w.object != nil || errors.Is(err, journal.ErrChanged) {
			return err
		}
	}
	switch {
	case candidates > 0:
		w.diags = message.Error("Several objects match a lost creation", w.happened()+fmt.Sprintf(
			"the service lists %d that match. Find the right one, import it by its id, and delete the others.",
			candidates))
	case !isLast:
		return once.ErrLookAgain
	case isUnlisted:
		w.diags = w.unlisted(t, err)
	case err != nil:
		w.diags = w.unknown("looking for it failed too", err)
	case mayRepeat && hasYoungTwin:
		return once.ErrLookAgain
	case w.lost == nil && t.Known.Key != "" && t.Known.Key != w.journal.Key:
		return errTaken // It stays in doubt: it may be another account's.
	case mayRepeat:
		return w.send(ctx, t)
	default:
		next := "Run apply again to create it."
		if w.another != "" { // The service may write what was sent in its own way: each apply would create one more.
			next = fmt.Sprintf("Look at %s: if it is the one that you want, import it, and write its values in the "+
				"configuration as the service does. Otherwise run apply again, which creates one more.", w.another)
		}
		w.diags = message.Error("Response to a creation lost", w.happened()+"the service does not list such a "+w.kind.One+
			". "+message.Sent(w.repetitions), next)
	}
	return nil
}

// unknown is the error of a creation that may have created an object, or not.
func (w *creating[T]) unknown(failed string, err error) diag.Diagnostics {
	return message.Error("Outcome of a creation unknown", w.happened()+failed+": "+message.Reason(err)+
		" Run apply again: if the "+w.kind.One+" exists by then, the provider adopts it.")
}

// unlisted is the error of a creation that no operation can look up: it is never sent again.
func (w *creating[T]) unlisted(t *once.Turn, err error) diag.Diagnostics {
	operation, more := "", ""
	if w.kind.MayHide {
		more = withoutRead(w.kind.One)
	}
	if failure, ok := errors.AsType[*einvoice.Error](err); ok {
		operation = message.MissingOperation(failure.Missing)
	}
	return message.Error("It is not known whether this exists: "+w.What,
		w.happened()+"the service has no list to look it up in. No run sends it again by itself.",
		"Look for it in the service's back office. If it is there, import it by its id, or delete it. "+
			"If you are sure that it is still not there a minute later, remove its record and apply again: "+t.Where()+".",
		more, operation)
}

// happened is the first half of a sentence.
func (w *creating[T]) happened() string {
	if w.lost == nil {
		return "An earlier run ended while it created " + w.What + ", and "
	}
	return "The response to the creation of " + w.What + " was lost (" + message.Clause(w.lost) + "), and "
}

// choose adopts an object that this creation may have created and no record has. candidates
// counts them where several may be the right one. hasYoungTwin reports whether an equal
// creation is young: it may have adopted this one's object, and its own show later.
func (w *creating[T]) choose(
	ctx context.Context, t *once.Turn, found []*T, isLast bool,
) (candidates int, hasYoungTwin bool, err error) {
	waiting := 0
	for n := 0; ; n++ {
		record, version, err := w.journal.Store.Load(ctx, w.key(n))
		if err != nil {
			return 0, false, err
		}
		if version == 0 {
			break
		}
		if record.Phase == journal.Sending && record.Note == t.Known.Note {
			waiting++
		}
		hasYoungTwin = hasYoungTwin || n != w.number && w.journal.IsYoung(record.Stamp)
		found = slices.DeleteFunc(found, func(o *T) bool { return einvoice.SameID(w.kind.ID(o), record.Result) })
	}
	if len(found) > max(waiting, 1) {
		return len(found), hasYoungTwin, nil
	}
	if len(found) == 0 || !isLast && len(found) < waiting { // The others may show until the last look.
		return 0, hasYoungTwin, nil
	}
	// No lock is held while a record is written, which may wait for another process.
	claimed := &w.session.process().claimed
	for _, object := range found {
		id := w.kind.ID(object)
		if _, isClaimed := claimed.LoadOrStore(id, true); isClaimed {
			continue
		}
		if err = w.adopt(ctx, t, object); err != nil {
			claimed.Delete(id)
		}
		return 0, hasYoungTwin, err
	}
	return 0, hasYoungTwin, once.ErrLookAgain
}
