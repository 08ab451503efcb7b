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
)

// Creation is the creation of an object that its values name, such as a customer.
type Creation[T any] struct {
	What string // names the object in messages: "customer Padaria (11222333000181)"
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
	// OnImport says what an import of an existing object lacks; "" for nothing.
	OnImport string
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
		if err == nil && !c.Answers(object) {
			err = &anotherObject{kind.One, string(kind.ID(object))}
		}
		switch {
		case err == nil:
			s.claim(kind.ID(object))
			return object, false, nil
		case !errors.Is(err, einvoice.ErrAmbiguous):
			return nil, false, refused(ctx, s, kind, c, err, schema)
		}
		found, lookErr := lookForLost(ctx, s, kind, c.Matches)
		switch {
		case len(found) == 1:
			return found[0], true, adopted(kind, c.What, repetitions)
		case lookErr == nil && len(found) == 0 && c.Unique &&
			s.Client.MaySendAgain(err, repetitions, s.Patience()):
			continue
		}
		return nil, false, inDoubt(kind, c.What, err, lookErr, found, repetitions)
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
			err = errors.New("the service lists only one " + kind.One)
		}
		if len(found) == 1 && !s.claim(kind.ID(found[0])) {
			found = nil // An equal creation was faster.
		}
		return len(found) > 0 || errors.Is(err, einvoice.ErrMissing) || !clock.Now().Before(until), nil
	})
	if ended != nil {
		return nil, ended
	}
	return found, err
}

// claim takes an object for one creation of this process, and reports whether nobody else has it.
func (s *Session) claim(id einvoice.Text) bool {
	_, isClaimed := s.process().claimed.LoadOrStore(s.claimOf(id), true)
	return !isClaimed
}

func (s *Session) isClaimed(id einvoice.Text) bool {
	_, isClaimed := s.process().claimed.Load(s.claimOf(id))
	return isClaimed
}

func (s *Session) claimOf(id einvoice.Text) string {
	return s.Client.BaseURL() + " " + strings.ToLower(string(id))
}

func adopted[T any](kind *Kind[T], what string, repetitions int) diag.Diagnostics {
	return diag.Diagnostics{diag.NewWarningDiagnostic("Adopted "+what,
		"The response to its creation was lost. Exactly one such "+kind.One+
			" was found at the service and taken into state. "+message.Sent(repetitions))}
}

// inDoubt is the error of a creation that may have created an object, or not.
func inDoubt[T any](
	kind *Kind[T], what string, lost, lookErr error, found []*T, repetitions int,
) diag.Diagnostics {
	summary, next := "Response to a creation lost: "+what, "Run apply again to create it."
	happened := "The response to the creation was lost (" + message.Clause(lost) + "). "
	if another, ok := errors.AsType[*anotherObject](lost); ok {
		summary, happened = "Creation answered with another object: "+what,
			"The response to the creation shows another "+kind.One+", "+another.id+". "
		next = fmt.Sprintf("Look at %s: if it is the one that you want, import it, and write its values in the "+
			"configuration as the service does. Otherwise run apply again, which creates one more.", another.id)
	}
	seen := "The service does not list such a " + kind.One + "."
	failure, isAnswer := errors.AsType[*einvoice.Error](lookErr)
	switch {
	case len(found) > 1:
		seen = fmt.Sprintf("The service lists %d that match: %s.", len(found), message.IDs(found, kind.ID))
		next = "Find the right one, import it by its id, and delete the others."
	case isAnswer && errors.Is(lookErr, einvoice.ErrMissing):
		seen = "The service has no list to look it up in."
		next = "Look for it in the service's back office. If it is there, import it by its id, or delete it. " +
			"Otherwise run apply again. " + message.MissingOperation(failure.Missing)
	case lookErr != nil:
		seen = "Looking for it failed too: " + message.Reason(lookErr)
		next = "Look for it at the service. If it is there, import it by its id. Otherwise run apply again."
	}
	return message.Error(summary, happened+seen+" "+message.Sent(repetitions), next)
}

// refused is the error of a creation that the service refused. If that may be because the object exists, the error says
// how to import it.
func refused[T any](
	ctx context.Context, s *Session, kind *Kind[T], c Creation[T], err error, schema message.PathSchema,
) diag.Diagnostics {
	plain := message.APIError(ctx, "create "+kind.One, err, schema)
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
	return alreadyExists(kind, c.What, found, message.RefusalWords(failure), c.OnImport, message.Reference(failure))
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
		return message.APIError(ctx, "create "+kind.One, err, nil)
	case len(found) == 0:
		return nil
	}
	return alreadyExists(kind, c.What, found, "The service lists it. Nothing was sent.", c.OnImport, "")
}

// alreadyExists says how to import one of the objects that may be the one that exists.
func alreadyExists[T any](
	kind *Kind[T], what string, found []*T, happened, more, reference string,
) diag.Diagnostics {
	importID, advice := "ID", "Look up its id in the back office, and import it instead of creating it:"
	if len(found) > 0 {
		importID, advice = string(kind.ID(found[0])), "Import it instead of creating it:"
	}
	if len(found) > 1 {
		advice = fmt.Sprintf("The account has %d that match: %s. Import the right one instead:",
			len(found), message.IDs(found, kind.ID))
	}
	return message.Error(message.SentenceCase(what)+" already exists", happened, advice,
		fmt.Sprintf("import {\n  to = einvoice_%s.NAME\n  id = %q\n}", kind.One, importID), more, reference)
}

// writtenKey is the private data of an object that was created or changed a moment ago: when.
const writtenKey = "written"

// NoteWrite notes that an object was written now. A list may not show that for a while.
func (s *Session) NoteWrite(ctx context.Context, private PrivateData) diag.Diagnostics {
	stamp, _ := json.Marshal(s.process().clock.Now()) // A time has a JSON form.
	return private.SetKey(ctx, writtenKey, stamp)
}

// forgetOldWrite drops the note of a write that every list shows by now. isRecent reports whether the note stays: a
// list may still show the object as it was before the write, or not at all.
func (s *Session) forgetOldWrite(ctx context.Context, private PrivateData) (isRecent bool) {
	note, _ := private.GetKey(ctx, writtenKey)
	var at time.Time
	if len(note) == 0 || json.Unmarshal(note, &at) != nil {
		return false
	}
	if s.Once().IsYoung(at) {
		return true
	}
	_ = private.SetKey(ctx, writtenKey, nil) // The next refresh tries again.
	return false
}
