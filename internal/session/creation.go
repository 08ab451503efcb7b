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
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

const (
	// creationKey is private data of an object that was made here and not refreshed
	// since: which record of the journal has it.
	creationKey = "creation"

	// shortHash is how much of a hash names a request, 96 bits: it lies in the state of
	// each object, all of which a CLI writes again after each change.
	shortHash = 24

	// shortLook is how long a creation is looked for that is not sent again.
	shortLook = 6 * time.Second
)

// LookPauses are the pauses before each look for what was just changed: a list may lag
// behind by seconds.
var LookPauses = []time.Duration{0, 2 * time.Second, 4 * time.Second}

// LookRepeatedly looks for objects in a list that may lag, until some match or
// the last look is over.
func LookRepeatedly[T any](ctx context.Context, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool) (found []*T, err error) {
	ended := poll.RealTime.Few(ctx, LookPauses, func() (bool, error) {
		found, err = einvoice.Matching(list(ctx), match)
		return err == nil && len(found) > 0, nil
	})
	return found, cmp.Or(ended, err)
}

// AboutAnother is the error of a creation whose answer shows another object. What
// was made is looked for then, as after a lost answer, and the other object is
// left alone.
func AboutAnother(kind string, id einvoice.Text) error {
	return fmt.Errorf("it was answered with another %s, %s: %w", kind, id, einvoice.ErrAmbiguous)
}

// Creation is the creation of an object that nothing but its values names.
//
// The service would make the same object again, and the provider may be killed before
// the answer, or the CLI after it and before it writes its state. So each one has a
// record of the journal, and until a refresh has seen it in a state, the same creation
// in a later run takes it over. Blocks that are alike have a record each, by number.
type Creation[T any] struct {
	Kind, What string // "customer", and "customer 11222333000181 (Padaria)"

	// Fields and Extra are what is sent, or as much of it as names the object.
	Fields any
	Extra  json.RawMessage

	// Send sends it with the client that it is given. An answer that shows another object
	// is AboutAnother.
	Send func(context.Context, *einvoice.Client) (*T, error)
	// Read reads one that an earlier run has made.
	Read func(ctx context.Context, id string) (*T, error)
	// List is where a lost one is looked for, and Match reports whether an object may be it.
	List  func(context.Context) iter.Seq2[*T, error]
	Match func(*T) bool
	ID    func(*T) einvoice.Text
	// Named reports whether Match goes by a name, of which there is to be one: then what
	// shows nowhere may be sent again.
	Named bool
}

// Created is what came of a creation.
type Created[T any] struct {
	Object *T
	Found  bool  // it was made before, by an earlier run or by the request whose answer was lost
	Err    error // of a request that came to nothing; then there is no Object
}

// PrivateData is the private data of an object that is read and written.
type PrivateData interface {
	PrivateState
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Create makes an object exactly once. The diagnostics have an error where nobody
// knows what became of it, or where the journal cannot be used.
func Create[T any](ctx context.Context, s *Session, c Creation[T], private PrivateData) (Created[T], diag.Diagnostics) {
	w := &creating[T]{Creation: c, session: s, journal: s.OnceByKey()}
	for {
		err := w.journal.Do(ctx, w.key(w.number), w.turn)
		switch {
		case errors.Is(err, errTaken):
			w.number++
			continue
		case errors.As(err, new(*journal.UnsettledError)):
			return Created[T]{}, message.Unrecorded(c.What, err, "Run apply again")
		case errors.As(err, new(*once.StoreError)) && w.lost == nil:
			// A second object costs no tax: without a journal all goes on.
			w.journal.Store, w.number = &journal.Memory{Now: s.process().clock.Now}, 0
			continue
		case err != nil && w.refused == nil && !w.said.HasError():
			w.said = message.Error("Outcome of a creation unknown", w.happened()+"looking for it was interrupted: "+message.Reason(err)+
				" Run apply again: if the "+c.Kind+" exists by then, it is taken over.")
		}
		break
	}
	if w.object != nil {
		w.said.Append(private.SetKey(ctx, creationKey, fmt.Appendf(nil, "%q", w.hash()+" "+strconv.Itoa(w.number)))...)
	}
	return Created[T]{w.object, w.found, w.refused}, w.said
}

// creating is a creation on its way.
type creating[T any] struct {
	Creation[T]
	session *Session
	journal *once.Journal
	number  int // of its record, among those of equal requests

	lost        error // why the last request had no usable answer
	lostAt      time.Time
	repetitions int
	besides     bool // an equal request is young: what that made may show later, and was taken for another's

	object  *T
	found   bool
	refused error
	said    diag.Diagnostics
}

var (
	errTaken = errors.New("the record belongs to another object")
	errEnded = errors.New("the creation has ended")
)

func (w *creating[T]) hash() string {
	request, _ := json.Marshal([]any{w.Kind, w.Fields, w.Extra}) // It is sent as JSON too.
	return attribute.HashOfText(string(request))[:shortHash]
}

func (w *creating[T]) key(number int) journal.Key { return w.session.creationKey(w.hash(), number) }

// creationKey names the record of a creation, whichever API key it is sent with. The
// accounts of a service share the name: an object of another one is not found by its id.
func (s *Session) creationKey(hash string, number int) journal.Key {
	key := journal.KeyOf("creation", s.Client.BaseURL(), s.process().place, hash, strconv.Itoa(number)).
		Formerly("creation", s.Client.Fingerprint(), hash)
	key.Fleeting = true
	return key
}

// turn goes on with the creation as far as a record allows.
func (w *creating[T]) turn(ctx context.Context, t *once.Turn) error {
	known := t.Known
	if known.Phase == journal.Idle {
		known = t.Foreign // Settled with a key that was replaced, unless it is another account's.
	}
	another := !w.session.isEarlier(known) // Of this run, or of one that goes on at the same time.
	switch {
	case known.Phase == journal.Idle:
		return w.send(ctx, t)
	case known.Phase == journal.Settled && (known.Held || another), known.Phase == journal.Sending && w.lost == nil && another:
		return errTaken
	case known.Phase == journal.Settled:
		return w.takeOver(ctx, t, known)
	}
	return w.look(ctx, t)
}

// isEarlier reports whether a record is of an earlier run. One that goes on at the same
// time is none.
func (s *Session) isEarlier(known journal.Record) bool {
	p := s.process()
	return known.Run != p.run && known.Stamp.Before(p.began)
}

// takeOver takes an object that the same creation has made in an earlier run.
func (w *creating[T]) takeOver(ctx context.Context, t *once.Turn, known journal.Record) error {
	object, err := w.Read(ctx, known.Result)
	switch {
	case errors.Is(err, einvoice.ErrNotFound) && w.journal.IsYoung(known.Stamp):
		return once.ErrUnproven // A list may lag, where there is no read by id.
	case errors.Is(err, einvoice.ErrNotFound):
		return w.send(ctx, t)
	case errors.Is(err, einvoice.ErrMissing):
		w.said = w.unlisted(t, err)
		return errEnded
	case err != nil:
		w.said = message.APIError(ctx, "look for the "+w.Kind+" of an earlier run", err, nil)
		return errEnded
	}
	t.Known = known
	return w.take(ctx, t, object)
}

// take has the record say that this run has the object now.
func (w *creating[T]) take(ctx context.Context, t *once.Turn, object *T) error {
	t.Settle(ctx, string(w.ID(object)))
	if errors.Is(t.Unkept, journal.ErrChanged) {
		return t.Unkept
	}
	id := w.ID(object)
	w.object, w.found = object, true
	summary, detail := "Adopted "+w.What, "The answer to its creation was lost; exactly one such "+w.Kind+
		" was found at the service and taken into state. "+message.Sent(w.repetitions)
	if isEarlier := w.lost == nil; isEarlier {
		summary, detail = "Took over "+w.What, fmt.Sprintf(
			"The same %s was created before as %s, in a run that ended before it could write its state. No second one was created. "+
				"If another configuration manages %s, take it out of one of the two with a `removed` block.", w.Kind, id, id)
	}
	w.said = diag.Diagnostics{diag.NewWarningDiagnostic(summary, detail)}
	return nil
}

// send sends the creation.
func (w *creating[T]) send(ctx context.Context, t *once.Turn) error {
	object, err := w.Send(ctx, w.session.Client.Beginning(t.Sending("", "")))
	if once.IsUnsent(err) {
		return err
	}
	if w.lost != nil {
		w.repetitions++
	}
	switch {
	case err == nil:
		t.Settle(ctx, string(w.ID(object)))
		w.object = object
		return nil
	case !errors.Is(err, einvoice.ErrAmbiguous):
		t.Keep(ctx, journal.Record{}) // The service has made nothing.
		w.refused = err
		return errEnded
	}
	w.lost, w.lostAt = err, w.journal.Clock.Now()
	return once.ErrUnproven
}

// look looks for what a creation may have made whose answer nobody knows.
func (w *creating[T]) look(ctx context.Context, t *once.Turn) error {
	again := w.lost == nil || w.Named && w.session.Client.MaySendAgain(w.lost, w.repetitions, w.journal.Patience)
	found, err := einvoice.Matching(w.List(ctx), w.Match)
	isUnlisted := errors.Is(err, einvoice.ErrMissing) // Only another run can still record the answer.
	last := !t.InDoubt() || !again && !w.journal.Clock.Now().Before(w.lostAt.Add(shortLook)) || isUnlisted && w.lost != nil
	several := 0
	if err == nil {
		if several, err = w.choose(ctx, t, found, last); w.object != nil || errors.Is(err, journal.ErrChanged) {
			return err
		}
	}
	switch {
	case several > 0:
		w.said = message.Error("Several objects match a lost creation", w.happened()+
			fmt.Sprintf("the service lists %d that match. Find the right one, import it by its id, and delete the others.", several))
	case !last:
		return once.ErrUnproven
	case isUnlisted:
		w.said = w.unlisted(t, err)
	case err != nil:
		w.said = message.Error("Outcome of a creation unknown", w.happened()+"looking for it failed too: "+message.Reason(err)+
			" Run apply again: if the "+w.Kind+" exists by then, it is taken over.")
	case again && w.besides:
		return once.ErrUnproven
	case w.lost == nil && t.Known.Key != "" && t.Known.Key != w.journal.Key:
		return errTaken // It stays in doubt: it may be another account's.
	case again:
		return w.send(ctx, t)
	default:
		w.said = message.Error("Answer to a creation lost", w.happened()+"the service does not list such a "+w.Kind+". "+
			message.Sent(w.repetitions)+" Run apply again to create it.")
	}
	return errEnded
}

// unlisted is the error of a creation that nothing can show, so that no run sends it again.
func (w *creating[T]) unlisted(t *once.Turn, err error) diag.Diagnostics {
	operation := ""
	if failure := (*einvoice.Error)(nil); errors.As(err, &failure) {
		operation = message.MissingOperation(failure.Missing)
	}
	return message.Error("It is not known whether this exists: "+w.What,
		w.happened()+"the service has no list to look it up in. Nothing was sent again, and no run sends it again by itself.",
		"Look for it in the service's back office. If it is there, import it by its id, or delete it there where it cannot be imported. "+
			"If it certainly is not there, remove its record and apply again: "+t.Where()+".", operation)
}

func (w *creating[T]) happened() string {
	if w.lost == nil {
		return "An earlier run ended while it created " + w.What + ", and "
	}
	return "The answer to the creation of " + w.What + " was lost (" + message.Clause(w.lost) + "), and "
}

// choose takes one of the objects that may be what this creation has made. Those that
// another record has are others. Where more creations wait for an answer than there are
// objects, that is waited for until the last look. several is how many there are where
// nobody can tell which one it is.
func (w *creating[T]) choose(ctx context.Context, t *once.Turn, found []*T, last bool) (several int, err error) {
	waiting := 0
	w.besides = false
	for n := 0; ; n++ {
		record, version, err := w.journal.Store.Load(ctx, w.key(n))
		if err != nil {
			return 0, err
		}
		if version == 0 {
			break
		}
		if record.Phase == journal.Sending {
			waiting++
		}
		w.besides = w.besides || n != w.number && w.journal.IsYoung(record.Stamp)
		found = slices.DeleteFunc(found, func(object *T) bool { return einvoice.SameID(w.ID(object), record.Result) })
	}
	switch {
	case len(found) > max(waiting, 1):
		return len(found), nil
	case len(found) == 0 || !last && len(found) < waiting:
		return 0, nil
	}
	// No lock is held while a record is written, which may wait for another process.
	chosen := &w.session.process().chosen
	for _, object := range found {
		id := w.ID(object)
		if _, isChosen := chosen.LoadOrStore(id, true); isChosen {
			continue
		}
		if err = w.take(ctx, t, object); err != nil {
			chosen.Delete(id)
		}
		return 0, err
	}
	return 0, once.ErrUnproven
}

// ConfirmCreation tells the journal that a state holds the object.
func (s *Session) ConfirmCreation(ctx context.Context, state tfsdk.State, private PrivateData) diag.Diagnostics {
	if s.Deferred() || state.Raw.IsNull() {
		return nil
	}
	var id types.String
	note, diags := private.GetKey(ctx, creationKey)
	diags.Append(state.GetAttribute(ctx, path.Root("id"), &id)...)
	if diags.HasError() || len(note) == 0 {
		return diags // Nothing was made here, or it was confirmed.
	}
	if key, ok := s.creationOf(note); ok && !s.holds(ctx, key, id.ValueString()) { // Else an older version has made it.
		return diags // The next refresh tells it again.
	}
	return private.SetKey(ctx, creationKey, nil)
}

// creationOf is the record that the private data of an object names.
func (s *Session) creationOf(note []byte) (key journal.Key, ok bool) {
	var text, hash string
	var number int
	if json.Unmarshal(note, &text) != nil {
		return key, false
	}
	if _, err := fmt.Sscan(text, &hash, &number); err != nil {
		return key, false
	}
	return s.creationKey(hash, number), true
}

// MayLag reports whether an object that a list does not show may show later: it is new,
// no refresh has seen it, and nothing shows that the service reads it by its id.
func (s *Session) MayLag(ctx context.Context, private PrivateState, err error) bool {
	if !errors.Is(err, einvoice.ErrOnlyUnlisted) {
		return false
	}
	note, _ := private.GetKey(ctx, creationKey)
	key, ok := s.creationOf(note)
	if !ok {
		return false
	}
	t, err := s.OnceByKey().Load(ctx, key)
	return err == nil && t.Young()
}

// holds tells the record of a creation that a state has its object, and reports whether
// the journal could be used.
func (s *Session) holds(ctx context.Context, key journal.Key, id string) bool {
	t, err := s.OnceByKey().Load(ctx, key)
	if err != nil {
		return false
	}
	for _, known := range []journal.Record{t.Known, t.Foreign} {
		if einvoice.SameID(known.Result, id) {
			known.Held = true
			t.Keep(ctx, known)
			return t.Unkept == nil
		}
	}
	return true
}
