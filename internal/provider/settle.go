package provider

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// settleWaits are the pauses before each look for an object whose creation was
// not answered: a list may lag behind a creation by seconds.
var settleWaits = [...]time.Duration{0, 2 * time.Second, 4 * time.Second}

// matching collects the objects of a list that match.
func matching[T any](list iter.Seq2[*T, error], match func(*T) bool) ([]*T, error) {
	var found []*T
	for object, err := range list {
		if err != nil {
			return nil, err
		}
		if match(object) {
			found = append(found, object)
		}
	}
	return found, nil
}

// all collects a whole list.
func all[T any](list iter.Seq2[*T, error]) ([]*T, error) {
	return matching(list, func(*T) bool { return true })
}

// lookRepeatedly looks for objects in a list that may lag, until some match or
// the last look is over.
func lookRepeatedly[T any](ctx context.Context, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool) (found []*T, err error) {
	for _, wait := range settleWaits {
		if err = pause(ctx, wait); err != nil {
			return found, err
		}
		if found, err = matching(list(ctx), match); err == nil && len(found) > 0 {
			return found, nil
		}
	}
	return found, err
}

// aboutAnother is the error of a creation that was answered with another object.
// What was made is looked for then, and the other one is left alone.
func aboutAnother(kind string, id einvoice.Text) error {
	return fmt.Errorf("it was answered with another %s, %s: %w", kind, id, einvoice.ErrAmbiguous)
}

// settleLost finds out what became of a creation whose answer was lost. It
// never repeats the creation: exactly one object that matches is adopted, none
// or several are an error that says what to do. what reads "customer
// 11222333000181 (Padaria)".
func settleLost[T any](ctx context.Context, kind, what string, lost error, list func(context.Context) iter.Seq2[*T, error], match func(*T) bool) (*T, diag.Diagnostics) {
	var diags diag.Diagnostics
	cause := strings.TrimSuffix(lost.Error(), ".")
	found, err := lookRepeatedly(ctx, list, match)
	switch {
	case err != nil:
		diags.AddError("Outcome of a creation unknown", fmt.Sprintf("The answer to the creation of %s was lost (%s), and looking for it failed too: %s "+
			"Run apply again: if the %s exists by then, import it first.", what, cause, sentence(err.Error()), kind))
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

// pause waits, or returns the context's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
