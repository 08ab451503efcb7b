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

// TextOrNull reads a text. The service writes a missing one as null, as "" or not at all.
func TextOrNull[T ~string](s T) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(string(s))
}

// KeepID reads an identifier in the case in which it is known already: a UUID is the same in
// either case, and an identity must never change.
func KeepID[T ~string](known types.String, read T) types.String {
	if read != "" && strings.EqualFold(known.ValueString(), string(read)) {
		return known
	}
	return TextOrNull(read)
}

// IntOrNull reads a whole number.
func IntOrNull(n *einvoice.Int) types.Int64 { return types.Int64PointerValue((*int64)(n)) }

// NumberOrNull reads a number.
func NumberOrNull(n *einvoice.Number) types.Float64 { return types.Float64PointerValue((*float64)(n)) }

// FlagOrNull reads a flag.
func FlagOrNull(f *einvoice.Flag) types.Bool { return types.BoolPointerValue((*bool)(f)) }

// StringValue is a text of any type.
type StringValue interface{ ValueString() string }

// KnownText is a text as it is sent: null and unknown are not sent.
func KnownText(s StringValue) einvoice.Text { return einvoice.Text(s.ValueString()) }

// KnownInt is a whole number as it is sent.
func KnownInt(n types.Int64) *einvoice.Int {
	if n.IsUnknown() {
		return nil
	}
	return (*einvoice.Int)(n.ValueInt64Pointer())
}

// KnownNumber is a number as it is sent.
func KnownNumber(n types.Float64) *einvoice.Number {
	if n.IsUnknown() {
		return nil
	}
	return (*einvoice.Number)(n.ValueFloat64Pointer())
}

// SameNumber reports whether two numbers are sent alike. The 17.9 of a configuration has
// more binary digits than that of a response, so that Equal tells them apart.
func SameNumber(a, b attr.Value) bool {
	first, _ := a.(types.Float64)
	second, _ := b.(types.Float64)
	x, y := KnownNumber(first), KnownNumber(second)
	return x != nil && y != nil && *x == *y
}

// SameName reports whether two names are the same but for case, accents and spaces,
// which services change.
func SameName[T ~string](a, b T) bool {
	return fiscal.FoldPlace(string(a)) == fiscal.FoldPlace(string(b))
}

// HashOfText stands for a text that must not be kept itself.
func HashOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
