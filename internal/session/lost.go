package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// LookPauses are the pauses before each look for an object whose creation was
// not answered: a list may lag behind a creation by seconds.
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

// AdoptLost looks for the object of a creation whose answer was lost, and never
// repeats the creation: exactly one object that matches is adopted, none or
// several are an error that says what to do. what reads "customer 11222333000181
// (Padaria)".
func AdoptLost[T any](ctx context.Context, kind, what string, lost error, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool) (*T, diag.Diagnostics) {
	happened := "The answer to the creation of " + what + " was lost (" + strings.TrimSuffix(lost.Error(), ".") + "), and "
	found, err := LookRepeatedly(ctx, list, match)
	switch {
	case err != nil:
		return nil, message.Error("Outcome of a creation unknown", happened+"looking for it failed too: "+message.Sentence(err.Error())+
			" Run apply again: if the "+kind+" exists by then, import it first.")
	case len(found) == 0:
		return nil, message.Error("Answer to a creation lost", happened+"the service does not list such a "+kind+". Nothing was sent a second time. Run apply again to create it.")
	case len(found) > 1:
		return nil, message.Error("Several objects match a lost creation", happened+fmt.Sprintf("the service lists %d that match. "+
			"Find the right one, import it by its id, and delete the others.", len(found)))
	}
	return found[0], diag.Diagnostics{diag.NewWarningDiagnostic("Adopted "+what,
		"The answer to its creation was lost; exactly one such "+kind+" was found at the service and taken into state. Nothing was sent a second time.")}
}
