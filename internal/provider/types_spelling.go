package provider

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
)

var (
	_ basetypes.StringTypable                    = spelledType{}
	_ basetypes.StringValuableWithSemanticEquals = spelled{}
	_ planmodifier.String                        = keepSpelling{}
)

// spelling is a family of texts that a person may write in several ways.
// normalize gives the one form that is sent, and by which two are compared
// unless fold, which only compares, is set.
type spelling struct {
	name      string
	normalize func(string) string
	fold      func(string) string
}

var (
	taxNumberSpelling    = &spelling{name: "tax number", normalize: fiscal.NormalizeTaxNumber}
	registrationSpelling = &spelling{name: "state tax number", normalize: fiscal.NormalizeStateTaxNumber}
	postalCodeSpelling   = &spelling{name: "postal code", normalize: fiscal.NormalizePostalCode}
	phoneSpelling        = &spelling{name: "phone", normalize: fiscal.NormalizePhone}
	stateSpelling        = &spelling{name: "state", normalize: fiscal.NormalizeState}
	placeSpelling        = &spelling{name: "city name", normalize: func(s string) string { return s }, fold: fiscal.FoldPlace}
	dateTimeSpelling     = &spelling{name: "date and time", normalize: func(s string) string { return s }, fold: foldDateTime}
)

// saoPaulo is the zone of a date without an offset; summer time ended in 2019.
var saoPaulo = time.FixedZone("America/Sao_Paulo", -3*60*60)

// parseDateTime reads an ISO 8601 date, with or without a time and an offset.
func parseDateTime(text string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, text, saoPaulo); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// foldDateTime makes one text of all spellings of an instant.
func foldDateTime(text string) string {
	if t, ok := parseDateTime(text); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return text
}

// same tells whether two texts mean the same.
func (s *spelling) same(a, b string) bool {
	if s == nil {
		return a == b
	}
	form := s.normalize
	if s.fold != nil {
		form = s.fold
	}
	return form(a) == form(b)
}

// spelledType is a string type whose values compare by meaning.
type spelledType struct {
	basetypes.StringType
	spelling *spelling
}

func (t spelledType) Equal(o attr.Type) bool {
	other, ok := o.(spelledType)
	return ok && t.spelling == other.spelling
}

func (t spelledType) String() string {
	if t.spelling == nil {
		return "spelledType"
	}
	return "spelledType[" + t.spelling.name + "]"
}

func (t spelledType) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return spelled{StringValue: in, spelling: t.spelling}, nil
}

func (t spelledType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("reading a %s: %w", t, err)
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("reading a %s: unexpected value type %T", t, value)
	}
	return spelled{StringValue: text, spelling: t.spelling}, nil
}

func (t spelledType) ValueType(context.Context) attr.Value {
	return spelled{spelling: t.spelling}
}

// spelled is a string value that compares by meaning.
type spelled struct {
	basetypes.StringValue
	spelling *spelling
}

func (v spelled) Type(context.Context) attr.Type {
	return spelledType{spelling: v.spelling}
}

func (v spelled) Equal(o attr.Value) bool {
	other, ok := o.(spelled)
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals keeps the first spelling in state when the service
// answers in another one.
func (v spelled) StringSemanticEquals(_ context.Context, newValuable basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, ok := newValuable.(spelled)
	if !ok {
		return false, diag.Diagnostics{providerBug("unexpected value type %T", newValuable)}
	}
	return v.spelling.same(v.ValueString(), other.ValueString()), nil
}

// normalized is the form that is sent; "" when null or unknown.
func (v spelled) normalized() einvoice.Text {
	if v.IsNull() || v.IsUnknown() {
		return ""
	}
	if v.spelling == nil {
		return einvoice.Text(v.ValueString())
	}
	return einvoice.Text(v.spelling.normalize(v.ValueString()))
}

func spelledOrNull[T ~string](s *spelling, text T) spelled {
	return spelled{StringValue: textOrNull(text), spelling: s}
}

// keepSpelling plans the prior spelling when the configured one means the same.
// Semantic equality acts on answers only, not while planning, so without it a
// change of punctuation alone, or an import, would plan an update.
type keepSpelling struct {
	spelling *spelling
}

func (m keepSpelling) Description(context.Context) string {
	return "A change of spelling alone is no change: the first spelling stays."
}

func (m keepSpelling) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (m keepSpelling) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() || isUnset(req.PlanValue) || isUnset(req.StateValue) {
		return
	}
	if m.spelling.same(req.PlanValue.ValueString(), req.StateValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

// isUnset tells that a value is null or unknown.
func isUnset(v attr.Value) bool {
	return v == nil || v.IsNull() || v.IsUnknown()
}
