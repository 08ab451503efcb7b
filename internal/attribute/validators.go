package attribute

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// TextCheck is a validator of a text, which it checks where it is configured and
// known.
type TextCheck struct {
	Rule  string // what the text must be
	Check func(Checked)
}

func (c TextCheck) Description(context.Context) string { return c.Rule + "." }

func (c TextCheck) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c TextCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !IsUnset(req.ConfigValue) {
		c.Check(Checked{Path: req.Path, Text: req.ConfigValue.ValueString(), Rule: c.Rule, diags: &resp.Diagnostics})
	}
}

// Checked is a text under a check, and takes what is wrong with it.
type Checked struct {
	Path  path.Path
	Text  string
	Rule  string
	diags *diag.Diagnostics
}

// Refuse says that the text is against the rule, and gives an example of one that
// is not.
func (c Checked) Refuse(example string, more ...string) {
	detail := fmt.Sprintf("`%s` is %q. It must be %s, for example %q.", namedPath(c.Path), c.Text, c.Rule, example)
	c.Fail("Invalid "+label(c.Path), strings.Join(append([]string{detail}, more...), " "))
}

// RefuseEmpty refuses a text that is empty.
func (c Checked) RefuseEmpty() bool {
	if c.Text == "" {
		c.Fail("Empty "+label(c.Path), message.EmptyString(c.Path))
	}
	return c.Text == ""
}

// Fail is an error about the text.
func (c Checked) Fail(summary, detail string) {
	c.diags.AddAttributeError(message.ShownAt(c.Path), summary, detail)
}

// Warn is a warning about the text.
func (c Checked) Warn(summary, detail string) {
	c.diags.AddAttributeWarning(message.ShownAt(c.Path), summary, detail)
}

// WarnOfLength warns of a text that is longer than anybody has reported to be accepted.
func (c Checked) WarnOfLength(length, most int) {
	c.Warn("Long "+label(c.Path), fmt.Sprintf("`%s` has %d characters. It is sent as it is, and the service decides: "+
		"more than %d may be refused.", namedPath(c.Path), length, most))
}

// label is the name of an attribute in a sentence.
func label(at path.Path) string { return strings.ReplaceAll(message.LastStep(at), "_", " ") }

// namedPath is a path for a person: an element of a set is not named by its
// own value.
func namedPath(at path.Path) string {
	name, _, _ := strings.Cut(at.String(), "[Value(")
	return name
}

// TextValidator refuses an empty text and limits the length, counted in
// characters of what is sent.
type TextValidator struct {
	Max      int  // 0: no limit
	Assumed  bool // no source states the limit: a longer text warns
	Example  string
	Spelling *Spelling
}

func (v TextValidator) rule() string {
	if v.Max == 0 || v.Assumed {
		return "a text that is not empty"
	}
	return fmt.Sprintf("a text of 1 to %d characters", v.Max)
}

func (v TextValidator) Description(context.Context) string             { return v.rule() + "." }
func (v TextValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v TextValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	TextCheck{v.rule(), func(c Checked) {
		sent := c.Text
		if v.Spelling != nil {
			sent = v.Spelling.normalize(sent)
		}
		switch length := utf8.RuneCountInString(sent); {
		case c.RefuseEmpty(), v.Max == 0, length <= v.Max:
		case v.Assumed:
			c.WarnOfLength(length, v.Max)
		default:
			c.Refuse(v.Example, fmt.Sprintf("This one has %d.", length))
		}
	}}.ValidateString(ctx, req, resp)
}

// EnumValidator checks a value against the words of the service. Words that
// only assumptions know warn instead of failing: the service decides.
type EnumValidator struct {
	Words   []string
	Assumed bool
}

func (v EnumValidator) rule() string { return "one of " + strings.Join(v.Words, ", ") }

func (v EnumValidator) Description(context.Context) string             { return v.rule() + "." }
func (v EnumValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v EnumValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	TextCheck{v.rule(), func(c Checked) {
		switch {
		case slices.Contains(v.Words, c.Text):
		case v.Assumed && c.Text != "":
			c.Warn("Unusual "+label(c.Path), fmt.Sprintf("`%s` is %q, which this provider does not know: it knows %s. It is sent as it is, and the service decides. Check the spelling.",
				c.Path, c.Text, strings.Join(v.Words, ", ")))
		default: // The rule lists what there is; an example would suggest one of the words.
			c.Fail("Invalid "+label(c.Path), fmt.Sprintf("`%s` is %q. It must be %s.", namedPath(c.Path), c.Text, c.Rule))
		}
	}}.ValidateString(ctx, req, resp)
}

// WordList documents an enum in a schema description.
func WordList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// taxNumberLength refuses what is neither a CPF nor a CNPJ and too long for a document
// of another country. Mostly it is a CNPJ that lacks a digit: what counts is then the
// number of its digits, and not that of the characters with the punctuation.
var taxNumberLength = TextCheck{"a CPF, a CNPJ, or a foreign document of at most 14 characters", func(c Checked) {
	if !c.RefuseEmpty() && utf8.RuneCountInString(fiscal.NormalizeTaxNumber(c.Text)) > foreignDocumentLength {
		c.RefuseTaxNumber()
	}
}}

// foreignDocumentLength is the specification's limit of a tax number.
const foreignDocumentLength = 14

// RefuseTaxNumber refuses what has not the length of a CPF or a CNPJ.
func (c Checked) RefuseTaxNumber() {
	c.Refuse("11.222.333/0001-81", fmt.Sprintf("Without punctuation this one has %d characters; a CPF has 11 digits, and a CNPJ 14 characters, of which the last two are digits.", fiscal.TaxNumberLength(c.Text)))
}

// TaxNumberValidator warns of wrong check digits, and of leading zeros that are gone.
// It does not fail: a document of another country may have the form of a CPF or CNPJ.
var TaxNumberValidator = TextCheck{"a CPF, a CNPJ or a foreign document; wrong check digits warn", func(c Checked) {
	if padded := fiscal.WithLeadingZeros(c.Text); padded != "" {
		c.Warn("Tax number without its leading zeros", fmt.Sprintf("`%s` is %q. With the leading zeros that spreadsheets drop it is the %s %s, whose check digits are right. Write %q, unless it is a document of another country.",
			c.Path, c.Text, strings.ToUpper(string(fiscal.TaxNumberKind(padded))), fiscal.FormatTaxNumber(padded), padded))
	} else if err := fiscal.CheckTaxNumber(c.Text); err != nil {
		c.Warn("Tax number with wrong check digits", fmt.Sprintf("`%s` is %q: %s. Correct it, unless it is a document of another country.", c.Path, c.Text, err))
	}
}}

// CompanyTaxNumberValidator warns also of what is neither a CPF nor a CNPJ, as where a
// digit is missing: who issues invoices has one of them.
var CompanyTaxNumberValidator = TextCheck{"a CPF or a CNPJ; wrong check digits and other forms warn", func(c Checked) {
	if c.Text != "" && fiscal.TaxNumberKind(c.Text) == fiscal.KindForeign && fiscal.WithLeadingZeros(c.Text) == "" {
		c.Warn("Neither CPF nor CNPJ", fmt.Sprintf("`%s` is %q. A CPF has 11 digits, and a CNPJ 14 characters, of which the last two are digits; without punctuation this one has %d characters. "+
			"It is sent as it is, and the service decides. Check it: no invoice is issued under such a number.", c.Path, c.Text, fiscal.TaxNumberLength(c.Text)))
		return
	}
	TaxNumberValidator.Check(c)
}}

// stateTaxNumberValidator accepts digits, punctuated or not, or ISENTO.
var stateTaxNumberValidator = TextCheck{"digits, with or without punctuation, or ISENTO for an exempt party", func(c Checked) {
	if c.Text != "" && !fiscal.ValidStateTaxNumber(c.Text) {
		c.Refuse("110042490114")
	}
}}

// CityCodeValidator checks the form of an IBGE municipal code.
var CityCodeValidator = TextCheck{"an IBGE municipal code of 7 digits whose first two are the state's", func(c Checked) {
	if err := fiscal.CheckCityCode(c.Text); c.Text != "" && err != nil {
		c.Fail("Invalid city code", fmt.Sprintf("`%s` is wrong: %s. Take the code from the IBGE's table of cities.", c.Path, err))
	}
}}

// PositiveDurationValidator accepts Go durations above zero.
var PositiveDurationValidator = TextCheck{"a duration above zero with a unit", func(c Checked) {
	if !positiveDuration(c.Text) {
		c.Refuse("30s")
	}
}}

func positiveDuration(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}

// BaseURLValidator applies the client's own rule while planning.
var BaseURLValidator = TextCheck{"an https address, or http on loopback, that ends in /v1", func(c Checked) {
	if err := einvoice.CheckBaseURL(c.Text); err != nil {
		c.Fail("Invalid base URL", message.SentenceCase(message.Reason(err)))
	}
}}

// StateValidator accepts the two-letter codes of the Brazilian states, and of
// places abroad.
var StateValidator = TextCheck{"the two-letter code of a Brazilian state, in any case", func(c Checked) {
	if !fiscal.IsState(c.Text) {
		c.Refuse("SP")
	}
}}

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
	resp.Diagnostics.AddAttributeError(message.ShownAt(req.Path), "Incomplete city",
		fmt.Sprintf("`%s` names no city. Set `code`, for example \"3550308\", or both `name` and `state`, for example \"São Paulo\" and \"SP\".", req.Path))
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
	example := cmp.Or(v.Example, v.Least+1)
	resp.Diagnostics.AddAttributeError(message.ShownAt(req.Path), "Invalid "+label(req.Path), fmt.Sprintf("`%s` is %d. It must be %s, for example %d.", req.Path, number, v.rule(), example))
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
	resp.Diagnostics.AddAttributeError(message.ShownAt(req.Path), "Empty "+label(req.Path),
		fmt.Sprintf("`%s` is an empty list. It must have at least 1 element, for example `[%s]`; where it is optional, omit the argument.", req.Path, v.Example))
}
