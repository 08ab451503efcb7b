package attribute

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// RequiredText is a text that a data source must be given.
func RequiredText(description string, checks ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description, Required: true,
		Validators: append([]validator.String{TextValidator{}}, checks...),
	}
}

// ModelArgument is the kind of invoice that a data source reads.
func ModelArgument(models []string, more string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Kind of invoice: " + WordList(models) + "." + more,
		Required:            true,
		Validators:          []validator.String{EnumValidator{Words: models}},
	}
}

// DefaultLimit is how long a list may be where the configuration does not say.
const DefaultLimit = 5000

// Limit bounds a list of what plural names, after filtering.
func Limit(plural string) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: fmt.Sprintf("How many %s to read at most, in the order of the service. Without it, more "+
			"than %d are an error.", plural, DefaultLimit),
		Optional:   true,
		Validators: []validator.Int64{int64validator.AtLeast(1)},
	}
}

// RawArgument requests the text of each invoice, which is larger than all its attributes.
var RawArgument = schema.BoolAttribute{
	MarkdownDescription: "Whether each invoice has its `raw_json`. Defaults to `false`: `raw_json` is null.",
	Optional:            true,
}

// TextFilter limits a list by a text.
func TextFilter(description string, checks ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: checks}
}

// TaxNumberFilter finds objects by a tax number in any spelling.
func TaxNumberFilter(description string, checks ...validator.String) schema.StringAttribute {
	length := TextValidator{Max: foreignDocumentLength, Example: "11.222.333/0001-81", Spelling: TaxNumberSpelling}
	filter := TextFilter(description, append([]validator.String{length}, checks...)...)
	filter.CustomType = SpelledType{Spelling: TaxNumberSpelling}
	return filter
}

// DateFilter limits a list to one side of a date.
func DateFilter(description string) schema.StringAttribute {
	return TextFilter(description+" A time without an offset is São Paulo time.", DateValidator)
}

// WordFilter limits a list to entries with one word of an enumeration.
func WordFilter(description string, words []string) schema.StringAttribute {
	return TextFilter(description+": "+WordList(words)+".", EnumValidator{Words: words})
}

// WordsFilter limits a list to entries with one of several words.
func WordsFilter(description string, words []string) schema.SetAttribute {
	return schema.SetAttribute{
		MarkdownDescription: description + ": " + WordList(words) + ".",
		ElementType:         types.StringType,
		Optional:            true,
		Validators: []validator.Set{
			setvalidator.NoNullValues(), setvalidator.ValueStringsAre(EnumValidator{Words: words}),
		},
	}
}

// Dates is a range of dates with inclusive limits. One that is not configured is open.
type Dates struct {
	From, Until string // as the service gets them
	begin, end  time.Time
}

// DatesFrom reads limits that DateValidator has checked.
func DatesFrom(from, until types.String) Dates {
	begin, _, _ := ParseDate(from.ValueString())
	_, end, _ := ParseDate(until.ValueString())
	return Dates{SentDate(from.ValueString(), begin), SentDate(until.ValueString(), end), begin, end}
}

// Has reports whether a date of the service is in the range. Without a date nothing is in one.
func (d Dates) Has(date einvoice.Text) bool {
	if d.begin.IsZero() && d.end.IsZero() {
		return true
	}
	begin, end, ok := ParseDate(string(date))
	return ok && (d.begin.IsZero() || !end.Before(d.begin)) && (d.end.IsZero() || !begin.After(d.end))
}

// ParseDate reads a date-time, or a date, which is the whole day. begin and end
// are both inclusive.
func ParseDate(text string) (begin, end time.Time, ok bool) {
	begin, ok = einvoice.ParseTime(text)
	end = begin
	if ok && len(text) == len(time.DateOnly) {
		end = begin.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return begin, end, ok
}

// SentDate is a limit of a range as the service gets it: a date-time with an offset. A text
// that is one already is sent as it is.
func SentDate(text string, limit time.Time) string {
	if text == "" {
		return ""
	}
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return text
	}
	return limit.Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// DateValidator accepts what ParseDate reads.
var DateValidator = TextCheck{text.Of("rule.date", nil), func(c Checked) {
	if _, _, ok := ParseDate(c.Text); !ok {
		c.Refuse("2026-11-30", text.Of("value.another", text.With{"example": "2026-11-30T23:59:59-03:00"}))
	}
}}

// DateTimeValidator accepts an ISO 8601 date, with or without a time.
var DateTimeValidator = TextCheck{text.Of("rule.existing_date", nil), func(c Checked) {
	if _, ok := einvoice.ParseTime(c.Text); c.Text != "" && !ok {
		c.Refuse("2026-01-01T00:00:00-03:00")
	}
}}
