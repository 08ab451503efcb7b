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

// issued walks the invoices of a model that are dated in some months. A list may show less
// of an invoice than there is, so an entry that lacks a member is read by its id.
func issued(
	ctx context.Context, client *einvoice.Client, model string, in months, members ...string,
) iter.Seq2[*einvoice.Invoice, error] {
	return func(yield func(*einvoice.Invoice, error) bool) {
		for v, err := range client.Invoices(ctx, model, in.filter()) {
			if err != nil {
				yield(nil, err)
				return
			}
			if isDated(v) && !in.has(dateOf(v)) {
				continue
			}
			if !hasMembers(v, members) {
				if v, err = client.Invoice(ctx, model, string(v.ID)); errors.Is(err, einvoice.ErrNotFound) {
					continue // A draft that was deleted since it was listed.
				}
			}
			if err == nil {
				err = checkDated(v)
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

// dateOf is the date that counts as the date of emission.
func dateOf(v *einvoice.Invoice) string { return string(cmp.Or(v.EffectiveDate, v.IssuedOn)) }

func isDated(v *einvoice.Invoice) bool {
	_, dated := einvoice.ParseTime(dateOf(v))
	return dated
}

// checkDated is the error of an invoice that can neither be counted in a month nor left out.
func checkDated(v *einvoice.Invoice) error {
	switch {
	case v.Status == "":
		return &incompleteError{v, "status"}
	case !isDated(v) && (wasValid(v) || dateOf(v) != ""):
		return &incompleteError{v, "date that can be read"}
	}
	return nil
}

// wasValid reports whether an invoice is valid, or was.
func wasValid(v *einvoice.Invoice) bool {
	return v.IsSettled() || string(v.Status) == einvoice.StatusInContingent
}

// hasMembers reports whether an entry of a list shows all of the members, be they null, and
// a status and a date.
func hasMembers(v *einvoice.Invoice, members []string) bool {
	var shown map[string]json.RawMessage
	if json.Unmarshal(v.Raw, &shown) != nil || v.Status == "" {
		return false
	}
	lacks := func(name string) bool { return shown[name] == nil }
	return !slices.ContainsFunc(members, lacks) && !(lacks("effectiveDate") && lacks("issuedOn"))
}

// countError words why the invoices of a month could not be counted.
func countError(ctx context.Context, task, model string, err error) diag.Diagnostics {
	incomplete, ok := errors.AsType[*incompleteError](err)
	if !ok {
		return message.APIError(ctx, task, err, nil)
	}
	return message.Error("Cannot "+task, fmt.Sprintf(
		"The service shows no %s of the %s with id %s (status %q), so the result would not be complete.",
		incomplete.lacks, message.DocumentNames[model], incomplete.invoice.ID, incomplete.invoice.Status),
		"The configuration is not the cause. Ask the service's support, and name the id.")
}
