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

// SettleWaits are the pauses before each look for an object whose creation was
// not answered: a list may lag behind a creation by seconds.
var SettleWaits = [...]time.Duration{0, 2 * time.Second, 4 * time.Second}

// LookRepeatedly looks for objects in a list that may lag, until some match or
// the last look is over.
func LookRepeatedly[T any](ctx context.Context, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool) (found []*T, err error) {
	ended := poll.RealTime.Few(ctx, SettleWaits[:], func() (bool, error) {
		found, err = einvoice.Matching(list(ctx), match)
		return err == nil && len(found) > 0, nil
	})
	return found, cmp.Or(ended, err)
}

// AboutAnother is the error of a creation that was answered with another object.
// What was made is looked for then, and the other one is left alone.
func AboutAnother(kind string, id einvoice.Text) error {
	return fmt.Errorf("it was answered with another %s, %s: %w", kind, id, einvoice.ErrAmbiguous)
}

// SettleLost finds out what became of a creation whose answer was lost. It
// never repeats the creation: exactly one object that matches is adopted, none
// or several are an error that says what to do. what reads "customer
// 11222333000181 (Padaria)".
func SettleLost[T any](ctx context.Context, kind, what string, lost error, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool) (*T, diag.Diagnostics) {
	var diags diag.Diagnostics
	cause := strings.TrimSuffix(lost.Error(), ".")
	found, err := LookRepeatedly(ctx, list, match)
	switch {
	case err != nil:
		diags.AddError("Outcome of a creation unknown", fmt.Sprintf("The answer to the creation of %s was lost (%s), and looking for it failed too: %s "+
			"Run apply again: if the %s exists by then, import it first.", what, cause, message.Sentence(err.Error()), kind))
	case len(found) == 0:
		diags.AddError("Answer to a creation lost", fmt.Sprintf("The answer to the creation of %s was lost (%s), and the service does not list such a %s. "+
			"Nothing was sent a second time. Run apply again to create it.", what, cause, kind))
	case len(found) > 1:
		diags.AddError("Several objects match a lost creation", fmt.Sprintf("The answer to the creation of %s was lost (%s), and the service lists %d that match. "+
			"Find the right one, import it by its id, and delete the others.", what, cause, len(found)))
	default:
		diags.AddWarning("Adopted "+what, "The answer to its creation was lost; exactly one such "+kind+" was found at the service and taken into state. Nothing was sent a second time.")
		return found[0], diags
	}
	return nil, diags
}

// Pause waits, or returns the context's error when that ends first.
func Pause(ctx context.Context, d time.Duration) error { return poll.Pause(ctx, d) }
