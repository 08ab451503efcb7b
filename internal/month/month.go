// Package month reads what a company issued in one month. The data source
// einvoice_invoice_totals has the sums, and einvoice_numbering the numbers and what is
// missing among them. Both are for the books, so they are complete or fail.
package month

import (
	"time"
	_ "time/tzdata" // A runner need not have the database of time zones.

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
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
		MarkdownDescription: "Month " + of + ", as `YYYY-MM`, by the date that counts as the date of emission. " +
			"An invoice that has none yet is in no month.",
		Required:   true,
		Validators: []validator.String{monthValidator},
	}
}

var monthValidator = attribute.TextCheck{Rule: "a month as YYYY-MM", Check: func(c attribute.Checked) {
	if _, ok := parseMonth(c.Text, time.UTC); !ok {
		c.Refuse("2026-11")
	}
}}
