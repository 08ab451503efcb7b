package provider

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// invoiceWish is what a list of invoices is narrowed to. The zero value of each
// field narrows nothing. The service is asked for the same, but which filters
// the list of a model honours is not specified, so every one is applied here.
type invoiceWish struct {
	integrationID string
	transactionID string
	from, until   time.Time // both inclusive
	receiver      string    // tax number, in any spelling
	statuses      []string
}

func (w *invoiceWish) matches(v *einvoice.Invoice) bool {
	if w.integrationID != "" && string(v.IntegrationID) != w.integrationID {
		return false
	}
	if w.transactionID != "" && (v.Order == nil || string(v.Order.TransactionID) != w.transactionID) {
		return false
	}
	if w.receiver != "" && (v.Receiver == nil || !taxNumberSpelling.same(string(v.Receiver.FederalTaxNumber), w.receiver)) {
		return false
	}
	if len(w.statuses) > 0 && !slices.Contains(w.statuses, string(v.Status)) {
		return false
	}
	return w.dated(v)
}

// dated compares the date that is used as the emission date. An invoice that
// has none yet is not within any range.
func (w *invoiceWish) dated(v *einvoice.Invoice) bool {
	if w.from.IsZero() && w.until.IsZero() {
		return true
	}
	text := string(v.EffectiveDate)
	if text == "" {
		text = string(v.IssuedOn)
	}
	begin, end, ok := parseDate(text)
	if !ok {
		return false
	}
	return (w.from.IsZero() || !end.Before(w.from)) && (w.until.IsZero() || !begin.After(w.until))
}

// collectInvoices takes the first invoices of a list that match, and tells
// whether the list goes on behind them. It looks at one more invoice to know
// that, and reads no further page than that needs.
func collectInvoices(list iter.Seq2[*einvoice.Invoice, error], wish *invoiceWish, limit int64) (found []*einvoice.Invoice, more bool, err error) {
	for v, err := range list {
		if err != nil {
			return nil, false, err
		}
		if int64(len(found)) >= limit {
			return found, true, nil
		}
		if wish.matches(v) {
			found = append(found, v)
		}
	}
	return found, false, nil
}

// parseDate reads a date-time, or a date, which is the whole day. begin and end
// are both inclusive.
func parseDate(text string) (begin, end time.Time, ok bool) {
	begin, ok = parseDateTime(text)
	end = begin
	if ok && len(text) == len(time.DateOnly) {
		end = begin.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return begin, end, ok
}

// sentDate is a limit of a range as the service is asked for it: a date-time
// with an offset. What the user wrote is sent as it is where it is one already.
func sentDate(text string, limit time.Time) string {
	if text == "" {
		return ""
	}
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return text
	}
	return limit.Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// dateValidator accepts what parseDate reads.
type dateValidator struct{}

const dateRule = "a date, or a date-time with or without an offset"

func (dateValidator) Description(context.Context) string               { return dateRule + "." }
func (v dateValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (dateValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	if _, _, ok := parseDate(req.ConfigValue.ValueString()); !ok {
		summary, detail := invalidValue(req, dateRule, "2026-11-30")
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail+" Another is \"2026-11-30T23:59:59-03:00\".")
	}
}

// limitValidator accepts whole numbers above zero.
type limitValidator struct{}

func (limitValidator) Description(context.Context) string { return "A whole number above zero." }

func (v limitValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (limitValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if isUnset(req.ConfigValue) || req.ConfigValue.ValueInt64() > 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid limit",
		fmt.Sprintf("`%s` is %d. It must be a whole number above zero, for example 100.", req.Path, req.ConfigValue.ValueInt64()))
}
