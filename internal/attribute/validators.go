package attribute

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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// InvalidValue is the text of every validator here: what was given, the rule,
// and an example.
func InvalidValue(req validator.StringRequest, rule, example string) (summary, detail string) {
	return "Invalid " + strings.ReplaceAll(message.LastStep(req.Path), "_", " "),
		fmt.Sprintf("`%s` is %q. It must be %s, for example %q.", namedPath(req.Path), req.ConfigValue.ValueString(), rule, example)
}

// namedPath is a path for a person: an element of a set is not named by its
// own value.
func namedPath(at path.Path) string {
	name, _, _ := strings.Cut(at.String(), "[Value(")
	return name
}

// TextValidator refuses an empty string and limits the length, counted in
// characters of what is sent.
type TextValidator struct {
	Max      int // 0: no limit
	Example  string
	Spelling *Spelling
}

func (v TextValidator) rule() string {
	if v.Max == 0 {
		return "a text that is not empty"
	}
	return fmt.Sprintf("a text of 1 to %d characters", v.Max)
}

func (v TextValidator) Description(context.Context) string             { return v.rule() + "." }
func (v TextValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v TextValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) {
		return
	}
	text := req.ConfigValue.ValueString()
	if text == "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Empty "+strings.ReplaceAll(message.LastStep(req.Path), "_", " "), message.EmptyString(req.Path))
		return
	}
	if v.Spelling != nil {
		text = v.Spelling.normalize(text)
	}
	if length := utf8.RuneCountInString(text); v.Max > 0 && length > v.Max {
		summary, detail := InvalidValue(req, v.rule(), v.Example)
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail+fmt.Sprintf(" This one has %d.", length))
	}
}

// EnumValidator checks a value against the words of the service. Words that
// only assumptions know warn instead of failing: the service decides.
type EnumValidator struct {
	Words   []string
	Assumed bool
}

func (v EnumValidator) rule() string                                   { return "one of " + strings.Join(v.Words, ", ") }
func (v EnumValidator) Description(context.Context) string             { return v.rule() + "." }
func (v EnumValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v EnumValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) || slices.Contains(v.Words, req.ConfigValue.ValueString()) {
		return
	}
	summary, detail := InvalidValue(req, v.rule(), v.Words[0])
	if v.Assumed && req.ConfigValue.ValueString() != "" {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Unusual "+strings.ReplaceAll(message.LastStep(req.Path), "_", " "),
			fmt.Sprintf("`%s` is %q. The values known here are %s; the service decides whether it takes this one.",
				req.Path, req.ConfigValue.ValueString(), strings.Join(v.Words, ", ")))
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
}

// WordList documents an enum in a schema description.
func WordList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// TaxNumberValidator warns of wrong check digits. It does not fail: a document
// of another country may have the form of a CPF or CNPJ.
type TaxNumberValidator struct{}

func (TaxNumberValidator) Description(context.Context) string {
	return "A CPF, a CNPJ or a foreign document; wrong check digits warn."
}

func (v TaxNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (TaxNumberValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) {
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
	if IsUnset(req.ConfigValue) || req.ConfigValue.ValueString() == "" || fiscal.ValidStateTaxNumber(req.ConfigValue.ValueString()) {
		return
	}
	summary, detail := InvalidValue(req, "digits only, or ISENTO for an exempt party", "110042490114")
	resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
}

// CityCodeValidator checks the form of an IBGE municipal code.
type CityCodeValidator struct{}

func (CityCodeValidator) Description(context.Context) string {
	return "An IBGE municipal code: 7 digits, the first two a state."
}

func (v CityCodeValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (CityCodeValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) || req.ConfigValue.ValueString() == "" {
		return
	}
	if err := fiscal.CheckCityCode(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid city code",
			fmt.Sprintf("`%s` is %q: %s. It must be an IBGE municipal code of 7 digits whose first two are the state's, for example \"3550308\" for São Paulo.",
				req.Path, req.ConfigValue.ValueString(), err))
	}
}

// PositiveDurationValidator accepts Go durations above zero.
type PositiveDurationValidator struct{}

func (PositiveDurationValidator) Description(context.Context) string {
	return "A duration above zero, such as `30s` or `10m`."
}

func (v PositiveDurationValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (PositiveDurationValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) {
		return
	}
	if !positiveDuration(req.ConfigValue.ValueString()) {
		summary, detail := InvalidValue(req, "a duration above zero with a unit", "30s")
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

func positiveDuration(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}

// BaseURLValidator applies the client's own rule while planning.
type BaseURLValidator struct{}

func (BaseURLValidator) Description(context.Context) string {
	return "An https address, or http on loopback, that ends in /v1."
}

func (v BaseURLValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (BaseURLValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) {
		return
	}
	if err := einvoice.CheckBaseURL(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid base URL", err.Error())
	}
}

// StateValidator accepts the two-letter codes of the Brazilian states, and of
// places abroad.
type StateValidator struct{}

func (StateValidator) Description(context.Context) string {
	return "A two-letter state code, in any case."
}

func (v StateValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (StateValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) {
		return
	}
	if _, ok := fiscal.StateByAbbreviation(req.ConfigValue.ValueString()); !ok {
		summary, detail := InvalidValue(req, "the two-letter code of a Brazilian state, in any case", "SP")
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
	if IsUnset(req.ConfigValue) {
		return
	}
	city := req.ConfigValue.Attributes()
	if !city["code"].IsNull() || (!city["name"].IsNull() && !city["state"].IsNull()) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Incomplete city",
		fmt.Sprintf("`%s` names no city. Set `code`, for example \"3550308\", or both `name` and `state`, for example \"São Paulo\" and \"SP\".", req.Path))
}

// DateTimeValidator accepts an ISO 8601 date, with or without a time.
type DateTimeValidator struct{}

func (DateTimeValidator) Description(context.Context) string {
	return "An ISO 8601 date and time; without an offset it is São Paulo time."
}

func (v DateTimeValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (DateTimeValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if IsUnset(req.ConfigValue) || req.ConfigValue.ValueString() == "" {
		return
	}
	if _, ok := ParseDateTime(req.ConfigValue.ValueString()); !ok {
		summary, detail := InvalidValue(req, "an ISO 8601 date and time", "2026-01-01T00:00:00-03:00")
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

// SecretValidator refuses an empty secret, and never shows one.
type SecretValidator struct{}

func (SecretValidator) Description(context.Context) string { return "A text that is not empty." }
func (v SecretValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (SecretValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !IsUnset(req.ConfigValue) && req.ConfigValue.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Empty "+strings.ReplaceAll(message.LastStep(req.Path), "_", " "), message.EmptyString(req.Path))
	}
}

// WholeNumberValidator accepts whole numbers from Least on, up to Most.
type WholeNumberValidator struct {
	Least, Most int64 // Most is 0 where there is no limit
	Example     int64 // Least+1 where it is 0
}

func (v WholeNumberValidator) rule() string {
	if v.Most > 0 {
		return fmt.Sprintf("a whole number from %d to %d", v.Least, v.Most)
	}
	return fmt.Sprintf("a whole number of at least %d", v.Least)
}

func (v WholeNumberValidator) Description(context.Context) string { return v.rule() + "." }

func (v WholeNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (v WholeNumberValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	number := req.ConfigValue.ValueInt64()
	if IsUnset(req.ConfigValue) || number >= v.Least && (v.Most == 0 || number <= v.Most) {
		return
	}
	example := v.Example
	if example == 0 {
		example = v.Least + 1
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+strings.ReplaceAll(message.LastStep(req.Path), "_", " "),
		fmt.Sprintf("`%s` is %d. It must be %s, for example %d.", req.Path, number, v.rule(), example))
}

// EntriesValidator refuses an empty list: the service does not tell it from a
// missing one.
type EntriesValidator struct{ Example string }

func (EntriesValidator) Description(context.Context) string { return "A list of at least one entry." }

func (v EntriesValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v EntriesValidator) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if IsUnset(req.ConfigValue) || len(req.ConfigValue.Elements()) > 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Empty "+strings.ReplaceAll(message.LastStep(req.Path), "_", " "),
		fmt.Sprintf("`%s` is an empty list. It must have at least 1 element, for example `[%s]`; where it is optional, omit the argument.", req.Path, v.Example))
}
