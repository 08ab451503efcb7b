package attribute

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Undescribed gives a validator or a plan modifier descriptions. The framework asks for
// them and shows them to nobody.
type Undescribed struct{}

func (Undescribed) Description(context.Context) string         { return "" }
func (Undescribed) MarkdownDescription(context.Context) string { return "" }

// TextCheck is a validator of a text that is configured and known.
type TextCheck struct {
	Rule  text.Text // what the text must be
	Check func(Checked)
}

func (c TextCheck) Description(ctx context.Context) string         { return c.Rule.In(ctx) }
func (c TextCheck) MarkdownDescription(ctx context.Context) string { return c.Rule.In(ctx) }

func (c TextCheck) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !IsUnset(req.ConfigValue) {
		given := req.ConfigValue.ValueString()
		c.Check(Checked{ctx: ctx, Path: req.Path, Text: given, Rule: c.Rule, diags: &resp.Diagnostics})
	}
}

// Checked is the text that a check judges, and collects its faults.
type Checked struct {
	ctx   context.Context //nolint:containedctx // It lives as long as the call of the validator.
	Path  path.Path
	Text  string
	Rule  text.Text
	diags *diag.Diagnostics
}

// Refuse says that the text is against the rule, and gives an example of one that is not.
func (c Checked) Refuse(example string, more ...text.Text) {
	with := text.With{"rule": c.Rule, "example": example}
	if len(more) > 0 {
		with["more"] = more[0]
	}
	c.Error("value.invalid", with)
}

// RefuseEmpty refuses a text that is empty.
func (c Checked) RefuseEmpty() bool {
	if c.Text == "" {
		c.Error("value.empty", nil)
	}
	return c.Text == ""
}

// Error is an error about the text. The placeholders "name", "path" and "given" are filled.
func (c Checked) Error(key string, with text.With) {
	c.diags.Append(say.ErrorAt(c.ctx, message.ShownAt(c.Path), key, c.about(with))...)
}

// Warning is a warning about the text. The placeholders "name", "path" and "given" are filled.
func (c Checked) Warning(key string, with text.With) {
	c.diags.Append(say.WarningAt(c.ctx, message.ShownAt(c.Path), key, c.about(with))...)
}

func (c Checked) about(with text.With) text.With {
	filled := text.With{"name": label(c.Path), "path": namedPath(c.Path), "given": c.Text}
	maps.Copy(filled, with)
	return filled
}

// WarnOfLength warns of a text that is longer than anybody has reported to be accepted.
func (c Checked) WarnOfLength(length, most int) {
	c.Warning("value.long", text.With{"length": length, "most": most})
}

// WarnOfLayout warns of a text that the layout of the NF-e does not accept.
func (c Checked) WarnOfLayout() {
	if faults := fiscal.TextFaults(message.LastStep(c.Path), c.Text); len(faults) > 0 {
		c.Warning("value.layout", text.With{"faults": faults})
	}
}

// PrintedText warns of a text that documents show, and that their layout does not accept.
var PrintedText = TextCheck{text.Of("rule.not_empty", nil), Checked.WarnOfLayout}

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

func (v TextValidator) rule() text.Text {
	if v.Max == 0 || v.Assumed {
		return text.Of("rule.not_empty", nil)
	}
	return text.Of("rule.length", text.With{"most": v.Max})
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
			c.Refuse(v.Example, text.Of("value.length", text.With{"length": length}))
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
	TextCheck{text.Of("rule.words", text.With{"words": v.Words}), func(c Checked) {
		switch {
		case slices.Contains(v.Words, c.Text):
		case v.Assumed && c.Text != "":
			c.Warning("value.unusual", text.With{"words": v.Words})
		default: // An example would suggest one of the words.
			c.Error("value.no_word", text.With{"rule": c.Rule})
		}
	}}.ValidateString(ctx, req, resp)
}

// WordList documents an enum in a schema description.
func WordList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// taxNumberLength refuses a text that is neither a CPF nor a CNPJ and too long for a document
// of another country. Punctuation does not count.
var taxNumberLength = TextCheck{text.Of("rule.tax_number_length", nil), func(c Checked) {
	if !c.RefuseEmpty() && utf8.RuneCountInString(fiscal.NormalizeTaxNumber(c.Text)) > foreignDocumentLength {
		c.RefuseTaxNumber()
	}
}}

// foreignDocumentLength is the specification's limit of a tax number.
const foreignDocumentLength = 14

// RefuseTaxNumber refuses a text that is as long as neither a CPF nor a CNPJ.
func (c Checked) RefuseTaxNumber() {
	length := fiscal.TaxNumberLength(c.Text)
	c.Refuse("11.222.333/0001-81", text.Of("value.tax_number_length", text.With{"length": length}))
}

// TaxNumberValidator warns of wrong check digits, and of missing leading zeros.
// It does not fail: a document of another country may have the form of a CPF or CNPJ.
var TaxNumberValidator = TextCheck{text.Of("rule.tax_number", nil), func(c Checked) {
	if padded := fiscal.WithLeadingZeros(c.Text); padded != "" {
		c.Warning("value.tax_number_zeros", text.With{
			"kind": strings.ToUpper(string(fiscal.TaxNumberKind(padded))), "padded": padded,
			"formatted": fiscal.FormatTaxNumber(padded),
		})
	} else if err := fiscal.CheckTaxNumber(c.Text); err != nil {
		c.Warning("value.tax_number", text.With{"cause": message.Cause(err)})
	}
}}

// CompanyTaxNumberValidator also warns of a text that is neither a CPF nor a CNPJ: every
// company that issues invoices has one of them.
var CompanyTaxNumberValidator = TextCheck{text.Of("rule.company_tax_number", nil), func(c Checked) {
	if c.Text != "" && fiscal.TaxNumberKind(c.Text) == fiscal.KindForeign && fiscal.WithLeadingZeros(c.Text) == "" {
		c.Warning("value.no_tax_number", text.With{"length": fiscal.TaxNumberLength(c.Text)})
		return
	}
	TaxNumberValidator.Check(c)
}}

// stateTaxNumberValidator accepts digits, punctuated or not, or ISENTO.
var stateTaxNumberValidator = TextCheck{text.Of("rule.state_tax_number", nil), func(c Checked) {
	if c.Text != "" && !fiscal.ValidStateTaxNumber(c.Text) {
		c.Refuse("110042490114")
	}
}}

// CityCodeValidator checks an IBGE municipal code. It only warns of the check digit: there are cities without it.
var CityCodeValidator = TextCheck{text.Of("rule.city_code", nil), func(c Checked) {
	switch err := fiscal.CheckCityCode(c.Text); {
	case c.Text == "":
	case err != nil:
		c.Error("value.city_code", text.With{"cause": message.Cause(err)})
	case !fiscal.IsFittingCity(c.Text):
		c.Warning("value.city_code_digit", nil)
	}
}}

// PositiveDurationValidator accepts Go durations above zero.
var PositiveDurationValidator = TextCheck{text.Of("rule.duration", nil), func(c Checked) {
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
var StateValidator = TextCheck{text.Of("rule.state", nil), func(c Checked) {
	if !fiscal.IsState(c.Text) {
		c.Refuse("SP")
	}
}}

// cityValidator refuses a city without the values that find one.
type cityValidator struct{ Undescribed }

func (cityValidator) ValidateObject(
	ctx context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse,
) {
	if IsUnset(req.ConfigValue) {
		return
	}
	city := req.ConfigValue.Attributes()
	if !city["code"].IsNull() || (!city["name"].IsNull() && !city["state"].IsNull()) {
		return
	}
	resp.Diagnostics.Append(say.ErrorAt(
		ctx, message.ShownAt(req.Path), "value.city", text.With{"path": req.Path.String()})...)
}

// postalCodeValidator warns of a Brazilian address whose postal code has not 8 digits: spreadsheets and YAML drop the
// zero that all codes of São Paulo begin with.
type postalCodeValidator struct{ Undescribed }

func (postalCodeValidator) ValidateObject(
	ctx context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse,
) {
	leaves := req.ConfigValue.Attributes()
	code, _ := leaves["postal_code"].(Spelled)
	digits := string(code.Normalized())
	country, _ := leaves["country"].(types.Object)
	isAbroad := country.IsUnknown() || leaves["city_name"] != nil && !leaves["city_name"].IsNull()
	if number, _ := country.Attributes()["code"].(types.Int64); !number.IsNull() {
		isAbroad = isAbroad || !fiscal.IsBrazil(number.String())
	} else if name, _ := country.Attributes()["name"].(Spelled); !name.IsNull() {
		isAbroad = isAbroad || !fiscal.IsBrazil(name.ValueString())
	}
	if digits == "" || isAbroad || fiscal.IsPostalCode(digits) {
		return
	}
	with := text.With{"path": req.Path.AtName("postal_code").String(), "given": code.ValueString(), "padded": ""}
	if fiscal.IsPostalCode("0" + digits) {
		with["padded"] = "0" + digits
	}
	resp.Diagnostics.Append(say.WarningAt(ctx, message.ShownAt(req.Path), "value.postal_code", with)...)
}
