// Package attribute has the parts of schemas and models: attributes that several objects
// have, texts that compare by their meaning, the address, fields without an attribute,
// conversions between values of the framework and of the service, checks and plan modifiers.
package attribute

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// ID is the identifier that the service gives an object.
func ID(of string) schema.StringAttribute {
	return Kept("Identifier of the " + of + " at the service (a UUID).")
}

// Kept is a text that is set at creation and stays.
func Kept(description string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		Computed:            true,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// Account is the account that something is sent to, which a plan shows before it is sent.
func Account(thing string) schema.StringAttribute {
	return Kept("Account that the " + thing + " is for, by its service and API key: the host of `base_url`, a slash, " +
		"and eight hexadecimal digits of a digest of the key. A plan shows it, and applies to no other account. It " +
		"keeps its value if the key is replaced later.")
}

// IDIdentity gives the resource that embeds it an identity of the id alone.
type IDIdentity struct{}

// IdentitySchema has the id.
func (IDIdentity) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{
			RequiredForImport: true, Description: "Identifier at the service (a UUID).",
		},
	}}
}

// Text is an optional text with a length limit, which documents show.
func Text(description string, limit int, example string) schema.StringAttribute {
	if limit > 0 {
		description += fmt.Sprintf(" At most %d characters.", limit)
	}
	return TextWith(description, TextValidator{Max: limit, Example: example}, PrintedText)
}

// TextWith is an optional text that the checks judge.
func TextWith(description string, checks ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: checks}
}

// SpelledText is an optional text that may be written in several ways.
func SpelledText(
	description string, s *Spelling, limit int, example string, more ...validator.String,
) schema.StringAttribute {
	length := TextValidator{Max: limit, Example: example, Spelling: s}
	return schema.StringAttribute{
		MarkdownDescription: description,
		CustomType:          SpelledType{Spelling: s},
		Optional:            true,
		Validators:          append([]validator.String{length}, more...),
		PlanModifiers:       []planmodifier.String{KeepSpelling(s)},
	}
}

// WithAssumedLength turns the error of a text that is too long into a warning, where no
// source states the limit.
func WithAssumedLength(a schema.StringAttribute) schema.StringAttribute {
	for i, v := range a.Validators {
		if text, ok := v.(TextValidator); ok {
			text.Assumed = true
			a.Validators[i] = text
		}
	}
	return a
}

// FederalTaxNumber is a CPF, a CNPJ or a foreign document.
func FederalTaxNumber(description string) schema.StringAttribute {
	a := SpelledText(description+" With or without punctuation; the CNPJ may be alphanumeric. The plan warns about "+
		"wrong check digits, and about missing leading zeros, which spreadsheets drop.",
		TaxNumberSpelling, foreignDocumentLength, "11.222.333/0001-81")
	a.Validators = []validator.String{taxNumberLength, TaxNumberValidator}
	return a
}

// CompanyTaxNumber is the CPF or CNPJ of who issues invoices.
func CompanyTaxNumber(description string) schema.StringAttribute {
	a := FederalTaxNumber(description)
	a.Validators = []validator.String{taxNumberLength, CompanyTaxNumberValidator}
	return a
}

// StateTaxNumber is a state registration.
func StateTaxNumber(limit int) schema.StringAttribute {
	return SpelledText(StateTaxNumberDescription, RegistrationSpelling, limit, "110042490114", stateTaxNumberValidator)
}

// The descriptions have both the English and the Portuguese term, for searches.
const (
	StateTaxNumberDescription = "State registration (inscrição estadual): digits, or `ISENTO`, which many states " +
		"refuse in a receiver (`805`) and all in an issuer (`209`)."
	CityTaxNumberDescription = "Municipal registration (inscrição municipal)."
)

// Phone is a telephone number.
func Phone(description string) schema.StringAttribute {
	return SpelledText(description+" With or without punctuation. The provider sends only the digits and a leading "+
		"`+`: at most 15 characters.", PhoneSpelling, 15, "+55 11 91234-5678")
}

// Required turns an optional attribute into a required one.
func Required(a schema.StringAttribute) schema.StringAttribute {
	a.Optional, a.Required = false, true
	return a
}

// Replaces turns an attribute into one whose change replaces the object.
func Replaces(a schema.StringAttribute) schema.StringAttribute {
	a.PlanModifiers = append(a.PlanModifiers, stringplanmodifier.RequiresReplace())
	return a
}

// Flag is an optional flag with a default.
func Flag(description string, standard bool) schema.BoolAttribute {
	return schema.BoolAttribute{
		MarkdownDescription: description, Optional: true, Computed: true, Default: booldefault.StaticBool(standard),
	}
}

// ComputedText is a text that a data source reads.
func ComputedText(description string) dataschema.StringAttribute {
	return dataschema.StringAttribute{MarkdownDescription: description, Computed: true}
}

// ComputedInt is a whole number that a data source reads.
func ComputedInt(description string) dataschema.Int64Attribute {
	return dataschema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

// ComputedObject is an object that a data source reads.
func ComputedObject(description string, attributes map[string]dataschema.Attribute) dataschema.SingleNestedAttribute {
	return dataschema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

// Computed is what a data source reads of an object that a resource manages: its attributes,
// without some. The first sentence of a description says what an attribute is; the others say
// how to set it.
func Computed(attributes map[string]schema.Attribute, without ...string) map[string]dataschema.Attribute {
	read := map[string]dataschema.Attribute{}
	for name, a := range attributes {
		about, _, cut := strings.Cut(a.GetMarkdownDescription(), ". ")
		if cut {
			about += "."
		}
		switch a := a.(type) {
		case schema.StringAttribute:
			read[name] = dataschema.StringAttribute{
				MarkdownDescription: about, CustomType: a.CustomType, Sensitive: a.Sensitive, Computed: true,
			}
		case schema.BoolAttribute:
			read[name] = dataschema.BoolAttribute{MarkdownDescription: about, Computed: true}
		case schema.Int64Attribute:
			read[name] = dataschema.Int64Attribute{MarkdownDescription: about, Computed: true}
		case schema.Float64Attribute:
			read[name] = dataschema.Float64Attribute{MarkdownDescription: about, Computed: true}
		case schema.SingleNestedAttribute:
			read[name] = ComputedObject(about, Computed(a.Attributes))
		case schema.ListNestedAttribute:
			read[name] = dataschema.ListNestedAttribute{
				MarkdownDescription: about, Computed: true,
				NestedObject: dataschema.NestedAttributeObject{Attributes: Computed(a.NestedObject.Attributes)},
			}
		}
	}
	for _, name := range without {
		delete(read, name)
	}
	return read
}

// DefaultIssuanceTimeout is how long to wait for the authority.
const DefaultIssuanceTimeout = 10 * time.Minute

// WaitTimeouts is the library's attribute for creation, update and deletion, described in
// the words of this provider. The library accepts durations that are not above zero, with
// which an apply would fail at once.
func WaitTimeouts(ctx context.Context) schema.Attribute {
	attribute := timeouts.Attributes(ctx, timeouts.Opts{Create: true, Update: true, Delete: true})
	nested, ok := attribute.(schema.SingleNestedAttribute)
	if !ok {
		return attribute
	}
	for name := range nested.Attributes {
		duration := schema.StringAttribute{
			MarkdownDescription: "A duration such as `90s` or `15m`.",
			Optional:            true,
			Validators:          []validator.String{timeoutCheck},
		}
		if name == "delete" {
			duration.MarkdownDescription += " It takes effect only after it has been applied."
		}
		nested.Attributes[name] = duration
	}
	nested.MarkdownDescription = "How long to wait for the authority, each `10m` by default. An invoice that takes " +
		"longer is not lost: the next apply continues to wait for it."
	return nested
}

var timeoutCheck = TextCheck{text.Of("rule.timeout", nil), func(c Checked) {
	if !isPositiveDuration(c.Text) {
		c.Error("value.timeout", text.With{"rule": c.Rule})
	}
}}

// WithTimeout returns a context that ends after a configured time, such as Timeouts.Create.
func WithTimeout(
	ctx context.Context, configured func(context.Context, time.Duration) (time.Duration, diag.Diagnostics),
	diags *diag.Diagnostics,
) (context.Context, context.CancelFunc) {
	timeout, failed := configured(ctx, DefaultIssuanceTimeout)
	diags.Append(failed...)
	return context.WithTimeout(ctx, timeout)
}
