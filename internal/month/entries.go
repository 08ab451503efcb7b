package month

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// incompleteError is of an invoice that lacks what is to be counted.
type incompleteError struct {
	invoice *einvoice.Invoice
	lacks   string
}

func (e *incompleteError) Error() string { return fmt.Sprintf("%s has no %s", e.invoice.ID, e.lacks) }

// issued walks the invoices of a model that are dated in some months. A list may
// show less of an invoice than there is, so an entry without one of the members is
// read by its id.
func issued(ctx context.Context, client *einvoice.Client, model string, in months, members ...string) iter.Seq2[*einvoice.Invoice, error] {
	return func(yield func(*einvoice.Invoice, error) bool) {
		for v, err := range client.Invoices(ctx, model, in.filter()) {
			if err != nil {
				yield(nil, err)
				return
			}
			if _, dated := einvoice.ParseTime(dateOf(v)); dated && !in.has(dateOf(v)) {
				continue
			}
			if !shows(v, members) {
				if v, err = client.Invoice(ctx, model, string(v.ID)); errors.Is(err, einvoice.ErrNotFound) {
					continue // A draft that was deleted since it was listed.
				}
			}
			if err == nil {
				err = lack(v)
			}
			if err == nil && !in.has(dateOf(v)) {
				continue
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// dateOf is what is used as the emission date.
func dateOf(v *einvoice.Invoice) string { return string(cmp.Or(v.EffectiveDate, v.IssuedOn)) }

// lack is what keeps an invoice from being counted in a month or left out of it.
func lack(v *einvoice.Invoice) error {
	_, dated := einvoice.ParseTime(dateOf(v))
	switch {
	case v.Status == "":
		return &incompleteError{v, "status"}
	case !dated && (isIssued(v) || dateOf(v) != ""):
		return &incompleteError{v, "date that can be read"}
	}
	return nil
}

// isIssued tells that an invoice is valid, or was.
func isIssued(v *einvoice.Invoice) bool {
	return v.IsSettled() || string(v.Status) == einvoice.StatusInContingent
}

// shows tells whether an entry of a list has all of the members, be they null, and
// what every invoice needs here.
func shows(v *einvoice.Invoice, members []string) bool {
	var shown map[string]json.RawMessage
	if json.Unmarshal(v.Raw, &shown) != nil || v.Status == "" {
		return false
	}
	has := func(name string) bool { _, ok := shown[name]; return ok }
	return (has("effectiveDate") || has("issuedOn")) && !slices.ContainsFunc(members, func(name string) bool { return !has(name) })
}

// unread words why the invoices of a month could not be counted.
func unread(ctx context.Context, task, model string, err error) diag.Diagnostics {
	missing := (*incompleteError)(nil)
	if !errors.As(err, &missing) {
		return message.APIError(ctx, task, err, nil)
	}
	return message.Error("Cannot "+task, fmt.Sprintf("The service shows no %s of the %s with id %s (status %q), so what is counted would not be complete.",
		missing.lacks, message.DocumentNames[model], missing.invoice.ID, missing.invoice.Status), "Nothing that is configured is the cause. Ask the service's support, and name the id.")
}
