package provider

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the data sources that narrow a list share.

const defaultLimit = 1000

// limitAttribute bounds a list of what plural names, after filtering.
func limitAttribute(plural string) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: fmt.Sprintf("How many %s to read at most, counted after filtering. Defaults to `%d`. A warning tells when there may be more.", plural, defaultLimit),
		Optional:            true,
		Validators:          []validator.Int64{limitValidator{}},
	}
}

func limitOr(configured types.Int64, fallback int64) int64 {
	if configured.IsNull() {
		return fallback
	}
	return configured.ValueInt64()
}

// cutAtLimit tells that a list goes on.
func cutAtLimit(plural string, limit int64) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("limit"), "List of "+plural+" cut at the limit",
		fmt.Sprintf("The first %d %s that match were read, and the service's list goes on behind them. Narrow the filters, or raise `limit`.", limit, plural))
}

// collect takes the first entries of a list that match, and tells whether the
// list goes on behind them. It looks at one more entry to know that, and reads
// no further page than that needs.
func collect[T any](list iter.Seq2[*T, error], matches func(*T) bool, limit int64) (found []*T, more bool, err error) {
	for v, err := range list {
		if err != nil {
			return nil, false, err
		}
		if int64(len(found)) >= limit {
			return found, true, nil
		}
		if matches(v) {
			found = append(found, v)
		}
	}
	return found, false, nil
}

// within compares a date of the service with a range whose limits are inclusive,
// and open where they are zero. What has no date is not within any range.
func within(text string, from, until time.Time) bool {
	if from.IsZero() && until.IsZero() {
		return true
	}
	begin, end, ok := parseDate(text)
	return ok && (from.IsZero() || !end.Before(from)) && (until.IsZero() || !begin.After(until))
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
