package attribute

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Undescribed gives a validator or a plan modifier descriptions. The framework asks for
// them and shows them to nobody.
type Undescribed struct{}

func (Undescribed) Description(context.Context) string         { return "" }
func (Undescribed) MarkdownDescription(context.Context) string { return "" }

// TextCheck is a validator of a text that is configured and known.
type TextCheck struct {
	Rule  string // what the text must be
	Check func(Checked)
}

func (c TextCheck) Description(context.Context) string         { return c.Rule + "." }
func (c TextCheck) MarkdownDescription(context.Context) string { return c.Rule + "." }

func (c TextCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !IsUnset(req.ConfigValue) {
		c.Check(Checked{Path: req.Path, Text: req.ConfigValue.ValueString(), Rule: c.Rule, diags: &resp.Diagnostics})
	}
}

// Checked is the text that a check judges, and collects its faults.
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
		c.Fail("Empty "+label(c.Path), fmt.Sprintf("`%s` is an empty string. An empty value counts as a "+
			"missing one. Give it a value; where it is optional, omit the argument or set it to null.", c.Path))
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
	c.Warn("Long "+label(c.Path), fmt.Sprintf("`%s` has %d characters. It is sent as it is, "+
		"and the service may refuse more than %d.", namedPath(c.Path), length, most))
}

// label is the name of an attribute in a sentence.
func label(at path.Path) string { return strings.ReplaceAll(message.LastStep(at), "_", " ") }

// namedPath is a path for a person, without the value of an element of a set.
func namedPath(at path.Path) string {
	name, _, _ := strings.Cut(at.String(), "[Value(")
	return name
}

// TextValidator refuses an empty text and limits the length, counted in
// characters of the form that is sent.
type TextValidator struct {
	Undescribed

	Max      int    // 0: no limit
	Assumed  bool   // no source states the limit: a longer text warns
	Example  string // of a text within the limit
	Spelling *Spelling
}

func (v TextValidator) rule() string {
	if v.Max == 0 || v.Assumed {
		return "a text that is not empty"
	}
	return fmt.Sprintf("a text of 1 to %d characters", v.Max)
}

func (v TextValidator) ValidateString(
	ctx context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
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

// EnumValidator checks a value against the words of the service. Where these are only
// assumed, another word warns instead of failing: the service decides.
type EnumValidator struct {
	Undescribed

	Words   []string
	Assumed bool
}

func (v EnumValidator) ValidateString(
	ctx context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
	words := strings.Join(v.Words, ", ")
	TextCheck{"one of " + words, func(c Checked) {
		switch {
		case slices.Contains(v.Words, c.Text):
		case v.Assumed && c.Text != "":
			c.Warn(fmt.Sprintf("Unusual %s: %q", label(c.Path), c.Text), fmt.Sprintf(
				"`%s` is %q, which this provider does not know: it knows %s. It is sent as it is, and the service "+
					"decides. Check the spelling.", c.Path, c.Text, words))
		default: // An example would suggest one of the words.
			detail := fmt.Sprintf("`%s` is %q. It must be %s.", namedPath(c.Path), c.Text, c.Rule)
			c.Fail("Invalid "+label(c.Path), detail)
		}
	}}.ValidateString(ctx, req, resp)
}

// WordList documents an enum in a schema description.
func WordList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// taxNumberLength refuses a text that is neither a CPF nor a CNPJ and too long for a document
// of another country. Punctuation does not count.
var taxNumberLength = TextCheck{"a CPF, a CNPJ, or a foreign document of at most 14 characters", func(c Checked) {
	if !c.RefuseEmpty() && utf8.RuneCountInString(fiscal.NormalizeTaxNumber(c.Text)) > foreignDocumentLength {
		c.RefuseTaxNumber()
	}
}}

// foreignDocumentLength is the specification's limit of a tax number.
const foreignDocumentLength = 14

// RefuseTaxNumber refuses a text that is as long as neither a CPF nor a CNPJ.
func (c Checked) RefuseTaxNumber() {
	c.Refuse("11.222.333/0001-81", fmt.Sprintf("Without punctuation this one has %d characters; "+
		"a CPF has 11 digits, and a CNPJ 14 characters, of which the last two are digits.",
		fiscal.TaxNumberLength(c.Text)))
}

// TaxNumberValidator warns of wrong check digits, and of missing leading zeros.
// It does not fail: a document of another country may have the form of a CPF or CNPJ.
var TaxNumberValidator = TextCheck{"a CPF, a CNPJ or a foreign document; wrong check digits warn", func(c Checked) {
	if padded := fiscal.WithLeadingZeros(c.Text); padded != "" {
		kind := strings.ToUpper(string(fiscal.TaxNumberKind(padded)))
		c.Warn("Tax number without its leading zeros: "+c.Text, fmt.Sprintf("`%s` is %q. With the leading zeros that "+
			"spreadsheets drop it is the %s %s, whose check digits are right. "+
			"Write %q, unless it is a document of another country.",
			c.Path, c.Text, kind, fiscal.FormatTaxNumber(padded), padded))
	} else if err := fiscal.CheckTaxNumber(c.Text); err != nil {
		c.Warn("Tax number with wrong check digits: "+c.Text, fmt.Sprintf(
			"`%s` is %q: %s. Correct it, unless it is a document of another country.", c.Path, c.Text, err))
	}
}}

// CompanyTaxNumberValidator also warns of a text that is neither a CPF nor a CNPJ: every
// company that issues invoices has one of them.
var CompanyTaxNumberValidator = TextCheck{"a CPF or a CNPJ; wrong check digits and other forms warn", func(c Checked) {
	if c.Text != "" && fiscal.TaxNumberKind(c.Text) == fiscal.KindForeign && fiscal.WithLeadingZeros(c.Text) == "" {
		c.Warn("Neither CPF nor CNPJ: "+c.Text, fmt.Sprintf("`%s` is %q. A CPF has 11 digits, and a CNPJ 14 characters, "+
			"of which the last two are digits; without punctuation this one has %d characters. It is sent as it is, "+
			"and the service decides. Check it: no invoice is issued under such a number.",
			c.Path, c.Text, fiscal.TaxNumberLength(c.Text)))
		return
	}
	TaxNumberValidator.Check(c)
}}

// stateTaxNumberValidator accepts digits, punctuated or not, or ISENTO.
var stateTaxNumberValidator = TextCheck{"digits, with or without punctuation, or ISENTO", func(c Checked) {
	if c.Text != "" && !fiscal.ValidStateTaxNumber(c.Text) {
		c.Refuse("110042490114")
	}
}}

// CityCodeValidator checks an IBGE municipal code. It only warns of the check digit: there are cities without it.
var CityCodeValidator = TextCheck{"an IBGE municipal code of 7 digits, the first two of the state", func(c Checked) {
	const advice = "Take the code from the IBGE's table of cities."
	switch err := fiscal.CheckCityCode(c.Text); {
	case c.Text == "":
	case err != nil:
		c.Fail("Invalid city code", fmt.Sprintf("`%s` is wrong: %s. %s", c.Path, err, advice))
	case !fiscal.IsFittingCity(c.Text):
		c.Warn("City code with a wrong check digit: "+c.Text, fmt.Sprintf(
			"`%s` is %q, whose last digit, a check digit, does not fit. %s", c.Path, c.Text, advice))
	}
}}

// PositiveDurationValidator accepts Go durations above zero.
var PositiveDurationValidator = TextCheck{"a duration above zero with the units h, m and s", func(c Checked) {
	if !isPositiveDuration(c.Text) {
		c.Refuse("30s")
	}
}}

func isPositiveDuration(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}

// StateValidator accepts the two-letter codes of the Brazilian states, and of
// places abroad.
var StateValidator = TextCheck{"the two-letter code of a Brazilian state, in upper or lower case", func(c Checked) {
	if !fiscal.IsState(c.Text) {
		c.Refuse("SP")
	}
}}

// cityValidator refuses a city without the values that find one.
type cityValidator struct{ Undescribed }

func (cityValidator) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if IsUnset(req.ConfigValue) {
		return
	}
	city := req.ConfigValue.Attributes()
	if !city["code"].IsNull() || (!city["name"].IsNull() && !city["state"].IsNull()) {
		return
	}
	resp.Diagnostics.AddAttributeError(message.ShownAt(req.Path), "Incomplete city",
		fmt.Sprintf("`%s` is incomplete. Set `code`, for example \"3550308\", or both `name` and `state`, "+
			"for example \"São Paulo\" and \"SP\".", req.Path))
}
