package attribute

import (
	"strings"

	action "github.com/hashicorp/terraform-plugin-framework/action/schema"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// The company that acts, by which a provider configuration with company_keys
// chooses a key.

const issuerRule = "CNPJ or CPF, with or without punctuation. Its key comes from `company_keys` of the provider. If " +
	"it has none there, `api_key` must belong to this company."

var issuerValidators = []validator.String{TextCheck{text.Of("rule.issuer", nil), func(c Checked) {
	if fiscal.TaxNumberKind(c.Text) == fiscal.KindForeign {
		c.RefuseTaxNumber()
	}
}}, TaxNumberValidator}

// Issuer is the company that acts, in a resource. what reads "that issues the invoice".
func Issuer(what, more string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Company " + what + ": " + issuerRule + " " + more,
		CustomType:          SpelledType{Spelling: TaxNumberSpelling},
		Optional:            true,
		Computed:            true,
		Validators:          issuerValidators,
		PlanModifiers:       []planmodifier.String{KeepSpelling(TaxNumberSpelling)},
	}
}

// IssuerArgument is the company whose key a data source reads with: issuer, or company
// where the issuer is the supplier.
func IssuerArgument() datasource.StringAttribute {
	return datasource.StringAttribute{
		MarkdownDescription: "Company whose key the provider uses, by default the owner of `api_key`: " + issuerRule,
		CustomType:          SpelledType{Spelling: TaxNumberSpelling},
		Optional:            true,
		Validators:          issuerValidators,
	}
}

// ActionIssuer is the company that an action acts for.
func ActionIssuer() action.StringAttribute {
	a := IssuerArgument()
	return action.StringAttribute{
		MarkdownDescription: a.MarkdownDescription, CustomType: a.CustomType, Optional: true, Validators: a.Validators,
	}
}

// UnknownIssuer is the company before an answer shows it.
var UnknownIssuer = Spelled{StringValue: types.StringUnknown(), Spelling: TaxNumberSpelling}

// IssuerFromAPI is the company as an answer shows it, in the spelling that is known
// already. Where the answer does not show it, the known one stays.
func IssuerFromAPI[T ~string](known Spelled, number T) Spelled {
	if number == "" && known.IsUnknown() {
		return Spelled{StringValue: types.StringNull(), Spelling: TaxNumberSpelling}
	}
	if number == "" || !IsUnset(known) && TaxNumberSpelling.Same(known.ValueString(), string(number)) {
		return known
	}
	return SpelledOrNull(TaxNumberSpelling, fiscal.NormalizeTaxNumber(string(number)))
}

// OtherIssuer reports whether two companies are known and differ.
func OtherIssuer(a, b Spelled) bool {
	return !IsUnset(a) && !IsUnset(b) && !TaxNumberSpelling.Same(a.ValueString(), b.ValueString())
}

// CutIssuer cuts the company's tax number and a slash off the beginning of an import
// ID whose rest has no slash; "" where there is none. A CNPJ may be written with a
// slash of its own.
func CutIssuer(text string) (issuer, rest string, ok bool) {
	cut := strings.LastIndex(text, "/")
	if cut < 0 {
		return "", text, true
	}
	number := text[:cut]
	return fiscal.NormalizeTaxNumber(number), text[cut+1:], fiscal.TaxNumberKind(number) != fiscal.KindForeign
}

// ImportedBy reads an import ID that is an id, or the name of a natural key, an equals
// sign and the value of that key. A person easily puts that into quotes.
func ImportedBy(key, text string) (value string, byKey, ok bool) {
	if value, byKey = strings.CutPrefix(text, key+"="); byKey {
		return value, true, strings.TrimSpace(value) != "" && !strings.HasPrefix(value, `"`)
	}
	return "", false, IsID(text) || text == ""
}

// IsID reports whether a text may be an id of the service. A person easily takes quotes or a line end along, or a tax
// number for one.
func IsID(text string) bool {
	isStrange := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`="'{}/`, r) }
	return text != "" && strings.IndexFunc(text, isStrange) < 0 && fiscal.TaxNumberKind(text) == fiscal.KindForeign
}

// IssuerIdentityAttribute is the company in the schema of an identity.
var IssuerIdentityAttribute = identityschema.StringAttribute{
	OptionalForImport: true, Description: "Tax number of the company whose key reads it.",
}

// IssuerIdentity is the company in an identity.
func IssuerIdentity(issuer Spelled) types.String { return TextOrNull(issuer.Normalized()) }
