package attribute

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// DefaultLimit is how long a list may be where the configuration does not say.
const DefaultLimit = 5000

// Limit bounds a list of what plural names, after filtering.
func Limit(plural string) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: fmt.Sprintf("At most how many %s are read, in the order of the service. Without it more than %d are an error: narrow the list, or say how many are wanted.", plural, DefaultLimit),
		Optional:            true,
		Validators:          []validator.Int64{WholeNumberValidator{Least: 1, Example: 100}},
	}
}

// RawArgument asks for the text of each object of a list, which takes more than all
// its attributes.
var RawArgument = schema.BoolAttribute{
	MarkdownDescription: "Whether `raw_json` of each invoice is read. Defaults to `false`: it is then null.",
	Optional:            true,
}

// OverLimit is the error of a list in which more entries match than limit.
// narrow says which filters may help; it is empty where there are none.
func OverLimit(plural string, limit int64, narrow string) diag.Diagnostic {
	next := "Set `limit` to as many as are wanted."
	if narrow != "" {
		next = narrow + ", or set `limit` to as many as are wanted."
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("limit"), fmt.Sprintf("More than %d %s", limit, plural),
		fmt.Sprintf("More than %d %s match, so the data source reads none of them. %s", limit, plural, next))
}

// CutAtLimit is the warning of a list in which more entries match than a configured limit.
func CutAtLimit(plural string, limit int64) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("limit"), fmt.Sprintf("List of %s cut at the limit", plural),
		fmt.Sprintf("The first %d %s that match were read, and more match. Narrow the filters, or raise `limit`.", limit, plural))
}

// DateFilter narrows a list to one side of a date.
func DateFilter(description string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description + " Without an offset it is São Paulo time.",
		Optional:            true,
		Validators:          []validator.String{DateValidator},
	}
}

// WordFilter narrows a list to what has one word of an enumeration.
func WordFilter(description string, words []string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description + ": " + WordList(words) + ".",
		Optional:            true,
		Validators:          []validator.String{EnumValidator{Words: words}},
	}
}

// WordsFilter narrows a list to what has one of several words.
func WordsFilter(description string, words []string) schema.SetAttribute {
	return schema.SetAttribute{
		MarkdownDescription: description + ": " + WordList(words) + ".",
		ElementType:         types.StringType,
		Optional:            true,
		Validators:          []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(EnumValidator{Words: words})},
	}
}

// Within compares a date of the service with a range whose limits are inclusive,
// and open where they are zero. What has no date is not within any range.
func Within(text string, from, until time.Time) bool {
	if from.IsZero() && until.IsZero() {
		return true
	}
	begin, end, ok := ParseDate(text)
	return ok && (from.IsZero() || !end.Before(from)) && (until.IsZero() || !begin.After(until))
}

// ParseDate reads a date-time, or a date, which is the whole day. begin and end
// are both inclusive.
func ParseDate(text string) (begin, end time.Time, ok bool) {
	begin, ok = ParseDateTime(text)
	end = begin
	if ok && len(text) == len(time.DateOnly) {
		end = begin.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return begin, end, ok
}

// SentDate is a limit of a range as the service is asked for it: a date-time
// with an offset. What the user wrote is sent as it is where it is one already.
func SentDate(text string, limit time.Time) string {
	if text == "" {
		return ""
	}
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return text
	}
	return limit.Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// SentDateTime is a date of an object as the service gets it, with an offset always.
func SentDateTime(text string) string {
	begin, _, ok := ParseDate(text)
	if !ok {
		return text
	}
	return SentDate(text, begin)
}

// DateValidator accepts what ParseDate reads.
var DateValidator = TextCheck{"a date, or a date-time with or without an offset", func(c Checked) {
	if _, _, ok := ParseDate(c.Text); !ok {
		c.Refuse("2026-11-30", "Another is \"2026-11-30T23:59:59-03:00\".")
	}
}}

// DateTimeValidator accepts an ISO 8601 date, with or without a time.
var DateTimeValidator = TextCheck{"an ISO 8601 date and time", func(c Checked) {
	if _, ok := ParseDateTime(c.Text); c.Text != "" && !ok {
		c.Refuse("2026-01-01T00:00:00-03:00")
	}
}}
