package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// invalidValue is the text of every validator here: what was given, the rule,
// and an example.
func invalidValue(req validator.StringRequest, rule, example string) (summary, detail string) {
	return "Invalid " + strings.ReplaceAll(lastStep(req.Path), "_", " "),
		fmt.Sprintf("`%s` is %q. It must be %s, for example %q.", namedPath(req.Path), req.ConfigValue.ValueString(), rule, example)
}

// namedPath is a path for a person: an element of a set is not named by its
// own value.
func namedPath(at path.Path) string {
	name, _, _ := strings.Cut(at.String(), "[Value(")
	return name
}

// textValidator refuses an empty string and limits the length, counted in
// characters of what is sent.
type textValidator struct {
	max      int // 0: no limit
	example  string
	spelling *spelling
}

func (v textValidator) rule() string {
	if v.max == 0 {
		return "a text that is not empty"
	}
	return fmt.Sprintf("a text of 1 to %d characters", v.max)
}

func (v textValidator) Description(context.Context) string             { return v.rule() + "." }
func (v textValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	text := req.ConfigValue.ValueString()
	if text == "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Empty "+strings.ReplaceAll(lastStep(req.Path), "_", " "), emptyString(req.Path))
		return
	}
	if v.spelling != nil {
		text = v.spelling.normalize(text)
	}
	if length := utf8.RuneCountInString(text); v.max > 0 && length > v.max {
		summary, detail := invalidValue(req, v.rule(), v.example)
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail+fmt.Sprintf(" This one has %d.", length))
	}
}

// enumValidator checks a value against the words of the service. Words that
// only assumptions know warn instead of failing: the service decides.
type enumValidator struct {
	words   []string
	assumed bool
}

func (v enumValidator) rule() string                                   { return "one of " + strings.Join(v.words, ", ") }
func (v enumValidator) Description(context.Context) string             { return v.rule() + "." }
func (v enumValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v enumValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) || slices.Contains(v.words, req.ConfigValue.ValueString()) {
		return
	}
	summary, detail := invalidValue(req, v.rule(), v.words[0])
	if v.assumed && req.ConfigValue.ValueString() != "" {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Unusual "+strings.ReplaceAll(lastStep(req.Path), "_", " "),
			fmt.Sprintf("`%s` is %q. The values known here are %s; the service decides whether it takes this one.",
				req.Path, req.ConfigValue.ValueString(), strings.Join(v.words, ", ")))
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
}

// wordList documents an enum in a schema description.
func wordList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// taxNumberValidator warns of wrong check digits. It does not fail: a document
// of another country may have the form of a CPF or CNPJ.
type taxNumberValidator struct{}

func (taxNumberValidator) Description(context.Context) string {
	return "A CPF, a CNPJ or a foreign document; wrong check digits warn."
}

func (v taxNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (taxNumberValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	if err := fiscal.CheckTaxNumber(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Tax number with wrong check digits",
			fmt.Sprintf("`%s` is %q: %s. Correct it, unless it is a document of another country.", req.Path, req.ConfigValue.ValueString(), err))
	}
}

// stateTaxNumberValidator accepts digits, punctuated or not, or ISENTO.
type stateTaxNumberValidator struct{}

func (stateTaxNumberValidator) Description(context.Context) string { return "Digits, or `ISENTO`." }
func (v stateTaxNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (stateTaxNumberValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) || req.ConfigValue.ValueString() == "" || fiscal.ValidStateTaxNumber(req.ConfigValue.ValueString()) {
		return
	}
	summary, detail := invalidValue(req, "digits only, or ISENTO for an exempt party", "110042490114")
	resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
}

// cityCodeValidator checks the form of an IBGE municipal code.
type cityCodeValidator struct{}

func (cityCodeValidator) Description(context.Context) string {
	return "An IBGE municipal code: 7 digits, the first two a state."
}

func (v cityCodeValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (cityCodeValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) || req.ConfigValue.ValueString() == "" {
		return
	}
	if err := fiscal.CheckCityCode(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid city code",
			fmt.Sprintf("`%s` is %q: %s. It must be an IBGE municipal code of 7 digits whose first two are the state's, for example \"3550308\" for São Paulo.",
				req.Path, req.ConfigValue.ValueString(), err))
	}
}

// positiveDurationValidator accepts Go durations above zero.
type positiveDurationValidator struct{}

func (positiveDurationValidator) Description(context.Context) string {
	return "A duration above zero, such as `30s` or `10m`."
}

func (v positiveDurationValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (positiveDurationValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	if !positiveDuration(req.ConfigValue.ValueString()) {
		summary, detail := invalidValue(req, "a duration above zero with a unit", "30s")
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

func positiveDuration(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}

// baseURLValidator applies the client's own rule while planning.
type baseURLValidator struct{}

func (baseURLValidator) Description(context.Context) string {
	return "An https address, or http on loopback, that ends in /v1."
}

func (v baseURLValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (baseURLValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	if err := einvoice.CheckBaseURL(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid base URL", err.Error())
	}
}

// stateValidator accepts the two-letter codes of the Brazilian states, and of
// places abroad.
type stateValidator struct{}

func (stateValidator) Description(context.Context) string {
	return "A two-letter state code, in any case."
}

func (v stateValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (stateValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	if _, ok := fiscal.StateByAbbreviation(req.ConfigValue.ValueString()); !ok {
		summary, detail := invalidValue(req, "the two-letter code of a Brazilian state, in any case", "SP")
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

// cityValidator wants enough to find a city by.
type cityValidator struct{}

func (cityValidator) Description(context.Context) string {
	return "Needs `code`, or `name` and `state`."
}

func (v cityValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (cityValidator) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if isUnset(req.ConfigValue) {
		return
	}
	city := req.ConfigValue.Attributes()
	if !city["code"].IsNull() || (!city["name"].IsNull() && !city["state"].IsNull()) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Incomplete city",
		fmt.Sprintf("`%s` names no city. Set `code`, for example \"3550308\", or both `name` and `state`, for example \"São Paulo\" and \"SP\".", req.Path))
}

// dateTimeValidator accepts an ISO 8601 date, with or without a time.
type dateTimeValidator struct{}

func (dateTimeValidator) Description(context.Context) string {
	return "An ISO 8601 date and time; without an offset it is São Paulo time."
}

func (v dateTimeValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (dateTimeValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isUnset(req.ConfigValue) || req.ConfigValue.ValueString() == "" {
		return
	}
	if _, ok := parseDateTime(req.ConfigValue.ValueString()); !ok {
		summary, detail := invalidValue(req, "an ISO 8601 date and time", "2026-01-01T00:00:00-03:00")
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

// secretValidator refuses an empty secret, and never shows one.
type secretValidator struct{}

func (secretValidator) Description(context.Context) string { return "A text that is not empty." }
func (v secretValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (secretValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !isUnset(req.ConfigValue) && req.ConfigValue.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Empty "+strings.ReplaceAll(lastStep(req.Path), "_", " "), emptyString(req.Path))
	}
}

// wholeNumberValidator accepts whole numbers from least on.
type wholeNumberValidator struct{ least int64 }

func (v wholeNumberValidator) Description(context.Context) string {
	return fmt.Sprintf("A whole number from %d on.", v.least)
}

func (v wholeNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (v wholeNumberValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if isUnset(req.ConfigValue) || req.ConfigValue.ValueInt64() >= v.least {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+strings.ReplaceAll(lastStep(req.Path), "_", " "),
		fmt.Sprintf("`%s` is %d. It must be a whole number of at least %d, for example %d.", req.Path, req.ConfigValue.ValueInt64(), v.least, v.least+1))
}

// entriesValidator refuses an empty list: the service does not tell it from a
// missing one.
type entriesValidator struct{ example string }

func (entriesValidator) Description(context.Context) string { return "A list of at least one entry." }

func (v entriesValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v entriesValidator) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if isUnset(req.ConfigValue) || len(req.ConfigValue.Elements()) > 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Empty "+strings.ReplaceAll(lastStep(req.Path), "_", " "),
		fmt.Sprintf("`%s` is an empty list. It must have at least 1 element, for example `[%s]`; where it is optional, omit the argument.", req.Path, v.example))
}
