package attribute

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var (
	_ basetypes.StringTypable                    = SpelledType{}
	_ basetypes.StringValuableWithSemanticEquals = Spelled{}
)

// Spelling is a kind of text that people write in several ways.
type Spelling struct {
	name      string
	normalize func(string) string // gives the form that is sent
	fold      func(string) string // gives the form that is compared; nil for the one that is sent
}

// The texts that people write in several ways.
var (
	TaxNumberSpelling    = &Spelling{name: "tax number", normalize: fiscal.NormalizeTaxNumber, fold: fiscal.FoldTaxNumber}
	RegistrationSpelling = &Spelling{name: "state tax number", normalize: fiscal.NormalizeStateTaxNumber}
	postalCodeSpelling   = &Spelling{name: "postal code", normalize: fiscal.NormalizePostalCode}
	PhoneSpelling        = &Spelling{name: "phone", normalize: fiscal.NormalizePhone, fold: fiscal.PhoneDigits}
	StateSpelling        = &Spelling{name: "state", normalize: fiscal.NormalizeState}
	placeSpelling        = &Spelling{name: "city name", normalize: asWritten, fold: fiscal.FoldPlace}
	DateTimeSpelling     = &Spelling{name: "date and time", normalize: asWritten, fold: foldDateTime}
)

// NewSpelling is a kind of text that is sent as it is written, and compared by what fold makes of it.
func NewSpelling(name string, fold func(string) string) *Spelling {
	return &Spelling{name: name, normalize: asWritten, fold: fold}
}

func asWritten(text string) string { return text }

// foldDateTime makes one text of all spellings of an instant.
func foldDateTime(text string) string {
	if t, ok := einvoice.ParseTime(text); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return text
}

// Same reports whether two texts mean the same.
func (s *Spelling) Same(a, b string) bool {
	if s == nil {
		return a == b
	}
	form := s.normalize
	if s.fold != nil {
		form = s.fold
	}
	return form(a) == form(b)
}

// SpelledType is a string type whose values compare by meaning.
type SpelledType struct {
	basetypes.StringType
	Spelling *Spelling
}

func (t SpelledType) Equal(o attr.Type) bool {
	other, ok := o.(SpelledType)
	return ok && t.Spelling == other.Spelling
}

func (t SpelledType) String() string {
	if t.Spelling == nil {
		return "spelledType"
	}
	return "spelledType[" + t.Spelling.name + "]"
}

func (t SpelledType) ValueFromString(
	_ context.Context, in basetypes.StringValue,
) (basetypes.StringValuable, diag.Diagnostics) {
	return Spelled{StringValue: in, Spelling: t.Spelling}, nil
}

func (t SpelledType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("reading a %s: %w", t, err)
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("reading a %s: unexpected value type %T", t, value)
	}
	return Spelled{StringValue: text, Spelling: t.Spelling}, nil
}

func (t SpelledType) ValueType(context.Context) attr.Value {
	return Spelled{Spelling: t.Spelling}
}

// Spelled is a string value that compares by meaning.
type Spelled struct {
	basetypes.StringValue
	Spelling *Spelling
}

func (v Spelled) Type(context.Context) attr.Type {
	return SpelledType{Spelling: v.Spelling}
}

func (v Spelled) Equal(o attr.Value) bool {
	other, ok := o.(Spelled)
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals keeps the spelling in state when the service answers in another one.
func (v Spelled) StringSemanticEquals(_ context.Context, answered basetypes.StringValuable) (bool, diag.Diagnostics) {
	return v.means(answered), nil
}

// means reports whether another value of the attribute means the same.
func (v Spelled) means(other attr.Value) bool {
	text, ok := other.(Spelled)
	return ok && v.Spelling.Same(v.ValueString(), text.ValueString())
}

// Normalized is the form that is sent; "" when null or unknown.
func (v Spelled) Normalized() einvoice.Text {
	if IsUnset(v) {
		return ""
	}
	return einvoice.Text(v.Spelling.normalize(v.ValueString()))
}

// SpelledOrNull reads a text that may be written in several ways.
func SpelledOrNull[T ~string](s *Spelling, text T) Spelled {
	return Spelled{StringValue: TextOrNull(text), Spelling: s}
}

// IsUnset reports whether a value is null or unknown.
func IsUnset(v attr.Value) bool {
	return v == nil || v.IsNull() || v.IsUnknown()
}

// keepText plans the prior text when the configured one means the same. Semantic
// equality acts on answers only, not while planning, so without it a change of
// punctuation or formatting alone, or an import, would plan an update.
type keepText struct {
	Undescribed

	same func(planned, prior string) bool
}

// KeepJSON keeps a JSON text that decodes to the same values.
func KeepJSON() planmodifier.String { return keepText{same: jsontree.SameText} }

// KeepSpelling keeps another spelling of the same text.
func KeepSpelling(s *Spelling) planmodifier.String { return keepText{same: s.Same} }

func (m keepText) PlanModifyString(
	_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if req.ConfigValue.IsNull() || IsUnset(req.PlanValue) || IsUnset(req.StateValue) {
		return
	}
	if m.same(req.PlanValue.ValueString(), req.StateValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}
