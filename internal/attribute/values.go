package attribute

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// TextOrNull reads a text. What the service does not have reads as null, and it
// writes that as null, as "" or not at all.
func TextOrNull[T ~string](s T) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(string(s))
}

// KeepID reads an identifier that is known already in the spelling it is known
// by: a UUID is the same in either case, and an identity must never change.
func KeepID[T ~string](known types.String, read T) types.String {
	if read != "" && strings.EqualFold(known.ValueString(), string(read)) {
		return known
	}
	return TextOrNull(read)
}

// IntOrNull reads a whole number.
func IntOrNull(n *einvoice.Int) types.Int64 {
	if n == nil {
		return types.Int64Null()
	}
	return types.Int64Value(int64(*n))
}

// NumberOrNull reads a number.
func NumberOrNull(n *einvoice.Number) types.Float64 {
	if n == nil {
		return types.Float64Null()
	}
	return types.Float64Value(float64(*n))
}

// FlagOrNull reads a flag.
func FlagOrNull(f *einvoice.Flag) types.Bool {
	if f == nil {
		return types.BoolNull()
	}
	return types.BoolValue(bool(*f))
}

// StringValue is a text of any type.
type StringValue interface {
	IsNull() bool
	IsUnknown() bool
	ValueString() string
}

// KnownText is a text as it is sent: null and unknown are not sent.
func KnownText(s StringValue) einvoice.Text {
	if s.IsNull() || s.IsUnknown() {
		return ""
	}
	return einvoice.Text(s.ValueString())
}

// KnownInt is a whole number as it is sent.
func KnownInt(n types.Int64) *einvoice.Int {
	if n.IsNull() || n.IsUnknown() {
		return nil
	}
	v := einvoice.Int(n.ValueInt64())
	return &v
}

// KnownNumber is a number as it is sent.
func KnownNumber(n types.Float64) *einvoice.Number {
	if n.IsNull() || n.IsUnknown() {
		return nil
	}
	v := einvoice.Number(n.ValueFloat64())
	return &v
}

// SameNumber compares two numbers as they are sent. Equal takes 17.9 of a configuration,
// which has more binary digits, for another number than 17.9 of an answer.
func SameNumber(a, b attr.Value) bool {
	first, _ := a.(types.Float64)
	second, _ := b.(types.Float64)
	x, y := KnownNumber(first), KnownNumber(second)
	return x != nil && y != nil && *x == *y
}

// KnownFlag is a flag as it is sent.
func KnownFlag(b types.Bool) *einvoice.Flag {
	if b.IsNull() || b.IsUnknown() {
		return nil
	}
	v := einvoice.Flag(b.ValueBool())
	return &v
}

// SameName tells whether two names are the same but for case, accents and spaces,
// which services change.
func SameName[T ~string](a, b T) bool {
	return fiscal.FoldPlace(string(a)) == fiscal.FoldPlace(string(b))
}

// HashOfText stands for a text that must not be kept itself.
func HashOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
