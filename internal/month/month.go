// Package month reads what a company issued in one month. The data source
// einvoice_invoice_totals has the sums, and einvoice_numbering the numbers and what is
// missing among them. Both are for the books, so they are complete or fail.
package month

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
	_ "time/tzdata" // A runner need not have the database of time zones.

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// months are one or more months of a time zone.
type months struct{ begin, end time.Time } // end is the first instant that is not in them

const form = "2006-01"

func parseMonth(text string, zone *time.Location) (months, bool) {
	begin, err := time.ParseInLocation(form, text, zone)
	return months{begin, begin.AddDate(0, 1, 0)}, err == nil && begin.Format(form) == text
}

// has reports whether a date of the service is in the months. A time without an offset is
// by the clock of their zone, and a date without a time is the same day in every zone.
func (m months) has(date string) bool {
	at, ok := einvoice.ParseTimeIn(date, m.begin.Location())
	if ok && len(date) == len(time.DateOnly) {
		day := date[:len(form)]
		return day >= m.begin.Format(form) && day < m.end.Format(form)
	}
	return ok && !at.Before(m.begin) && at.Before(m.end)
}

// since are the months from n months before on.
func (m months) since(n int) months { return months{m.begin.AddDate(0, -n, 0), m.end} }

// next is the month after.
func (m months) next() months { return months{m.end, m.end.AddDate(0, 1, 0)} }

// filter asks the list for a day more at each end, because nobody knows in which zone the
// service compares.
func (m months) filter() einvoice.InvoiceFilter {
	return einvoice.InvoiceFilter{
		EffectiveDateStart: m.begin.AddDate(0, 0, -1).Format(time.RFC3339),
		EffectiveDateEnd:   m.end.AddDate(0, 0, 1).Format(time.RFC3339),
	}
}

const defaultZone = "America/Sao_Paulo"

// zone finds a time zone of the database. Go also understands "" and Local: the latter is
// another one on each machine.
func zone(name string) (*time.Location, bool) {
	if name == "" || name == "Local" {
		return nil, false
	}
	found, err := time.LoadLocation(name)
	return found, err == nil
}

func monthArgument(of string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Month " + of + ", as `YYYY-MM`, by the issue date. An invoice without that date " +
			"is in no month.",
		Required:   true,
		Validators: []validator.String{monthValidator},
	}
}

var monthValidator = attribute.TextCheck{Rule: text.Of("rule.month", nil), Check: func(c attribute.Checked) {
	if _, ok := parseMonth(c.Text, time.UTC); !ok {
		c.Refuse("2026-11")
	}
}}

// incompleteError is of an invoice that lacks what is to be counted.
type incompleteError struct {
	invoice *einvoice.Invoice
	lacks   string // status, date or amount
}

func (e *incompleteError) Error() string { return fmt.Sprintf("%s has no %s", e.invoice.ID, e.lacks) }

// issued walks the invoices of a model that are dated in some months. A list may show less
// of an invoice than there is, so an entry that lacks a member is read by its id.
func issued(
	ctx context.Context, reading *session.Session, model string, in months, members ...string,
) iter.Seq2[*einvoice.Invoice, error] {
	return func(yield func(*einvoice.Invoice, error) bool) {
		for v, err := range reading.Client.Invoices(ctx, model, in.filter()) {
			if err != nil {
				yield(nil, err)
				return
			}
			reading.Saw(v)
			if isDated(v) && !in.has(dateOf(v)) {
				continue
			}
			if !hasMembers(v, members) {
				if v, err = reading.Client.Invoice(ctx, model, string(v.ID)); errors.Is(err, einvoice.ErrNotFound) {
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

// dateOf is the date that counts as the issue date.
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
	case !isDated(v) && (isDecided(v) || dateOf(v) != ""):
		return &incompleteError{v, "date"}
	}
	return nil
}

// isDecided reports whether an invoice counts in a month, whatever comes next. If the service shows no date or amount
// of it, the data source fails: a sum without it would be wrong, and nobody would notice.
func isDecided(v *einvoice.Invoice) bool { return v.Meaning().Final || v.Meaning().Valid }

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

// countError says why the invoices of a month could not be counted. task is that of a failed request.
func countError(ctx context.Context, task text.Text, model string, err error) diag.Diagnostics {
	incomplete, ok := errors.AsType[*incompleteError](err)
	if !ok {
		return message.APIError(ctx, task, err, nil)
	}
	return say.Error(ctx, "month.incomplete", text.With{
		"task": task, "lacks": incomplete.lacks, "document": message.DocumentNames[model],
		"id": incomplete.invoice.ID, "status": string(incomplete.invoice.Status),
	})
}
