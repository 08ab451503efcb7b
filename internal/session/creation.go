package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Creation is the creation of an object that its values name, such as a customer.
type Creation[T any] struct {
	What text.Text // names the object in messages: "customer Padaria (11222333000181)"
	Send func(context.Context) (*T, error)

	// Matches reports whether an object of the list may be the new one, after a lost response.
	Matches func(*T) bool
	// Unique is true if Matches compares a name that only one object has. Then an object that no list shows may be sent
	// again.
	Unique bool
	// Answers reports whether a response may be about the new object, which the service may spell in its own way.
	Answers func(*T) bool
	// Exists reports whether the service may have refused the new object because of this one; nil for Matches.
	Exists func(*T) bool
	// OnImport says what an import of an existing object lacks; none for nothing.
	OnImport text.Text
}

// CreateNamed creates an object. While a request may have been processed, no second one is sent:
//
//   - The service refuses it: that is an error, which says how to import an object that exists.
//   - The response is lost, or about another object: CreateNamed looks in the list until the patience ends.
//   - The list shows one object that matches: it is adopted, with a warning. If it shows several, that is an error.
//   - It shows none: the request is sent again if the name is unique, and the connection was cut or a gateway answered
//     (502, 503). Otherwise that is an error.
//
// Nothing is recorded. A run that is killed between the request and the state leaves an object that no state has.
func CreateNamed[T any](
	ctx context.Context, s *Session, kind *Kind[T], c Creation[T], schema message.PathSchema,
) (object *T, isAdopted bool, diags diag.Diagnostics) {
	for repetitions := 0; ; repetitions++ {
		object, err := c.Send(ctx)
		// While the answer was on its way, an equal block whose own answer was lost may have adopted the object.
		if err == nil && (!c.Answers(object) || s.claim(kind.ID(object), creates) == adopts) {
			err = &anotherObject{kind.One, string(kind.ID(object))}
		}
		switch {
		case err == nil:
			return object, false, nil
		case !errors.Is(err, einvoice.ErrAmbiguous):
			return nil, false, refused(ctx, s, kind, c, err, schema)
		}
		found, lookErr := lookForLost(ctx, s, kind, c.Matches)
		switch {
		case len(found) == 1:
			return found[0], true, adopted(ctx, kind, c.What, repetitions)
		case lookErr == nil && len(found) == 0 && c.Unique &&
			s.Client.MaySendAgain(err, repetitions, s.Patience()):
			continue
		}
		return nil, false, inDoubt(ctx, kind, c.What, err, lookErr, found, repetitions)
	}
}

// anotherObject is the error of a response that shows another object than the one that was sent.
type anotherObject struct{ one, id string }

func (e *anotherObject) Error() string { return fmt.Sprintf("it is about another %s, %s", e.one, e.id) }
func (e *anotherObject) Unwrap() error { return einvoice.ErrAmbiguous }

// lookForLost looks in the list until the patience ends: a list may lag. It returns what matches, without the objects
// that this process has created, adopted or deleted. A single one is this creation's from then on.
func lookForLost[T any](
	ctx context.Context, s *Session, kind *Kind[T], matches func(*T) bool,
) (found []*T, err error) {
	clock := s.process().clock
	until := clock.Now().Add(s.Patience())
	isFree := func(object *T) bool { return matches(object) && !s.isClaimed(kind.ID(object)) }
	pauses := append([]time.Duration{0}, once.LookPauses...)
	ended := clock.Until(ctx, pauses, func() (isLast bool, _ error) {
		found, err = einvoice.Matching(kind.List(s.Client, ctx), isFree)
		if err == nil && len(found) == 0 && !s.Client.ProvesAbsence(kind.Kind) {
			err = errors.New("the service lists only one object")
		}
		if len(found) == 1 && s.claim(kind.ID(found[0]), adopts) != "" {
			found = nil // An equal creation was faster.
		}
		return len(found) > 0 || errors.Is(err, einvoice.ErrMissing) || !clock.Now().Before(until), nil
	})
	if ended != nil {
		return nil, ended
	}
	return found, err
}

// claimant is what a block of this process has done to have an object, or to lose it.
type claimant string

const (
	creates claimant = "created"
	adopts  claimant = "adopted"
	deletes claimant = "deleted"
)

// claim notes who has an object, and returns who had it before: nobody can have what another has adopted.
func (s *Session) claim(id einvoice.Text, by claimant) (before claimant) {
	held, isClaimed := s.process().claimed.LoadOrStore(s.claimOf(id), by)
	if isClaimed {
		before, _ = held.(claimant)
	}
	return before
}

func (s *Session) isClaimed(id einvoice.Text) bool {
	_, isClaimed := s.process().claimed.Load(s.claimOf(id))
	return isClaimed
}

func (s *Session) claimOf(id einvoice.Text) string {
	return s.Client.BaseURL() + " " + strings.ToLower(string(id))
}

func adopted[T any](ctx context.Context, kind *Kind[T], what text.Text, repetitions int) diag.Diagnostics {
	return say.Warning(ctx, "creation.adopted", text.With{
		"what": what, "noun": message.Noun(kind.One), "sends": 1 + repetitions,
	})
}

// inDoubt is the error of a creation that may have created an object, or not.
func inDoubt[T any](
	ctx context.Context, kind *Kind[T], what text.Text, lost, lookErr error, found []*T, repetitions int,
) diag.Diagnostics {
	with := text.With{
		"what": what, "noun": message.Noun(kind.One), "lost": message.Cause(lost), "sends": 1 + repetitions,
		"another": "", "found": len(found), "ids": message.IDs(found, kind.ID), "unlisted": text.Text{},
		"failed": message.Cause(lookErr),
	}
	if another, ok := errors.AsType[*anotherObject](lost); ok {
		with["another"] = another.id
	}
	if failure, ok := errors.AsType[*einvoice.Error](lookErr); ok && errors.Is(lookErr, einvoice.ErrMissing) {
		with["unlisted"] = message.MissingOperation(failure.Missing)
	}
	return say.Error(ctx, "creation.in_doubt", with)
}

// refused is the error of a creation that the service refused. If that may be because the object exists, the error says
// how to import it.
func refused[T any](
	ctx context.Context, s *Session, kind *Kind[T], c Creation[T], err error, schema message.PathSchema,
) diag.Diagnostics {
	plain := message.APIError(ctx, message.Task("create", kind.One), err, schema)
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	if !isAnswer {
		return plain
	}
	isConflict := failure.Status == http.StatusConflict
	isAboutKey := slices.ContainsFunc(failure.Messages, func(m einvoice.FieldMessage) bool {
		return m.Path != "" && message.SnakeCase(m.Path) == kind.Key
	})
	if !isConflict && !isAboutKey && failure.Status != http.StatusUnprocessableEntity {
		return plain
	}
	exists := c.Exists
	if exists == nil {
		exists = c.Matches
	}
	found, listErr := einvoice.Matching(kind.List(s.Client, ctx), exists)
	if listErr != nil {
		found = nil
	}
	if !isConflict && len(found) == 0 {
		return plain // It is about the value itself, or about another one.
	}
	return alreadyExists(ctx, kind, c, found, message.RefusalWords(failure), message.Reference(failure))
}

// RefuseExisting looks an object up before it is created, and is an error if the service lists it. A service without
// the list refuses a second object itself.
func RefuseExisting[T any](ctx context.Context, s *Session, kind *Kind[T], c Creation[T]) diag.Diagnostics {
	found, err := einvoice.Matching(kind.List(s.Client, ctx), func(object *T) bool {
		return c.Matches(object) && !s.isClaimed(kind.ID(object)) // A list that lags shows what this run has deleted.
	})
	switch {
	case errors.Is(err, einvoice.ErrMissing):
		return nil
	case err != nil:
		return message.APIError(ctx, message.Task("create", kind.One), err, nil)
	case len(found) == 0:
		return nil
	}
	return alreadyExists(ctx, kind, c, found, text.Of("creation.listed", nil), text.Text{})
}

// alreadyExists says how to import one of the objects that may be the one that exists.
func alreadyExists[T any](
	ctx context.Context, kind *Kind[T], c Creation[T], found []*T, happened, reference text.Text,
) diag.Diagnostics {
	with := text.With{
		"what": c.What, "happened": happened, "found": len(found), "ids": message.IDs(found, kind.ID), "id": "ID",
		"kind": kind.One, "more": c.OnImport, "request": reference,
	}
	if len(found) > 0 {
		with["id"] = string(kind.ID(found[0]))
	}
	return say.Error(ctx, "creation.exists", with)
}

// writtenKey is the private data of an object that was created or changed a moment ago: when.
const writtenKey = "written"

// NoteWrite notes that an object was written now. A list may not show that for a while.
func (s *Session) NoteWrite(ctx context.Context, private PrivateData) diag.Diagnostics {
	stamp, _ := json.Marshal(s.process().clock.Now()) // A time has a JSON form.
	return private.SetKey(ctx, writtenKey, stamp)
}

// wroteRecently reports whether a list may still show an object as it was before its last write, or not at all. The note
// stays: a refresh that dropped it would be a change.
func (s *Session) wroteRecently(ctx context.Context, private PrivateState) bool {
	note, _ := private.GetKey(ctx, writtenKey)
	var at time.Time
	return json.Unmarshal(note, &at) == nil && s.Once().IsYoung(at)
}
