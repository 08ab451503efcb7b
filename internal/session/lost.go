package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// LookPauses are the pauses before each look for an object whose creation was
// not answered: a list may lag behind a creation by seconds.
var LookPauses = []time.Duration{0, 2 * time.Second, 4 * time.Second}

// shortLook is how long those take together.
const shortLook = 6 * time.Second

// patientPauses go on for as long as is to be looked.
var patientPauses = append(slices.Clone(LookPauses), 7*time.Second)

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

// Sending is a creation that is sent until it is known what became of it.
type Sending[T any] struct {
	Kind, What string // "customer", and "customer 11222333000181 (Padaria)"

	// Send sends it. An answer that shows another object is AboutAnother.
	Send func() (*T, error)
	// List is where a lost one is looked for, and Match tells that an object may be it.
	List  func(context.Context) iter.Seq2[*T, error]
	Match func(*T) bool
	ID    func(*T) einvoice.Text
	// Named tells that Match goes by a name, of which there is to be one.
	Named bool
	// Creation keeps what the service would make again; nil where it refuses that.
	Creation *Creation
}

// Create sends a creation. One whose answer was lost is looked for, and found:
// exactly one object that matches is adopted. What shows nowhere for as long as it
// might take is sent again, where that can be told by a name and may help. The
// error is that of a request that came to nothing.
func Create[T any](ctx context.Context, s *Session, c Sending[T]) (object *T, found bool, diags diag.Diagnostics, refused error) {
	for repetitions := 0; ; repetitions++ {
		c.Creation.begin(ctx)
		object, err := c.Send()
		switch {
		case err == nil:
			return object, false, nil, nil
		case !errors.Is(err, einvoice.ErrAmbiguous):
			c.Creation.refused(ctx)
			return nil, false, nil, err
		}
		again, looked := c.Named && s.Client.MaySendAgain(err, repetitions, s.Patience()), shortLook
		if again {
			looked = s.Patience()
		}
		object, diags = c.adoptLost(ctx, err, looked, again, repetitions)
		if object != nil || diags.HasError() {
			return object, object != nil, diags, nil
		}
	}
}

// adoptLost looks for the object of a creation whose answer was lost, for so long.
// None is an error unless the creation may be sent again, and several are one that
// says what to do.
func (c *Sending[T]) adoptLost(ctx context.Context, lost error, looked time.Duration, again bool, repetitions int) (*T, diag.Diagnostics) {
	happened := "The answer to the creation of " + c.What + " was lost (" + message.Clause(lost) + "), and "
	object, several, err := c.lookUntil(ctx, time.Now().Add(looked))
	switch {
	case err != nil:
		return nil, message.Error("Outcome of a creation unknown", happened+"looking for it failed too: "+message.Reason(err)+
			" Run apply again: if the "+c.Kind+" exists by then, import it first.")
	case several > 0:
		return nil, message.Error("Several objects match a lost creation", happened+severalListed(several))
	case object == nil && again:
		return nil, nil
	case object == nil:
		return nil, message.Error("Answer to a creation lost", happened+"the service does not list such a "+c.Kind+". "+message.Sent(repetitions)+" Run apply again to create it.")
	}
	return object, diag.Diagnostics{diag.NewWarningDiagnostic("Adopted "+c.What,
		"The answer to its creation was lost; exactly one such "+c.Kind+" was found at the service and taken into state. "+message.Sent(repetitions))}
}

func severalListed(several int) string {
	return fmt.Sprintf("the service lists %d that match. Find the right one, import it by its id, and delete the others.", several)
}

// lookUntil looks for what a creation may have made, again and again. several is
// how many there are, where nobody can tell which one it is.
func (c *Sending[T]) lookUntil(ctx context.Context, until time.Time) (object *T, several int, err error) {
	ended := poll.RealTime.Until(ctx, patientPauses, func() (bool, error) {
		var found []*T
		found, err = einvoice.Matching(c.List(ctx), c.Match)
		last := !time.Now().Before(until)
		if err == nil {
			object, several = c.take(ctx, found, last)
		}
		return object != nil || several > 0 || last, nil
	})
	return object, several, cmp.Or(ended, err)
}

// take chooses among the objects that match.
func (c *Sending[T]) take(ctx context.Context, found []*T, last bool) (object *T, several int) {
	switch {
	case len(found) == 0:
		return nil, 0
	case c.Creation == nil && len(found) > 1:
		return nil, len(found)
	case c.Creation == nil:
		return found[0], 0
	}
	ids := make([]einvoice.Text, len(found))
	for i, object := range found {
		ids[i] = c.ID(object)
	}
	i, several := c.Creation.take(ctx, ids, last)
	if i < 0 {
		return nil, several
	}
	return found[i], 0
}
