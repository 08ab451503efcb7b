package sandbox

import (
	"encoding/json"
	"math/big"
	"strings"
)

// rational is the exact value of a number field; nil and absent read as 0.
func rational(v any) *big.Rat {
	n, _ := v.(json.Number)
	if r, ok := new(big.Rat).SetString(n.String()); ok {
		return r
	}
	return new(big.Rat)
}

// money writes an amount with at most four decimals and no zero at the end.
func money(r *big.Rat) json.Number {
	s := strings.TrimRight(r.FloatString(4), "0")
	return json.Number(strings.TrimSuffix(s, "."))
}

// sameMoney compares two amounts as they are printed, to the hundredth.
func sameMoney(a, b *big.Rat) bool { return a.FloatString(2) == b.FloatString(2) }

// decimal is the exact value of a number that was sent, also in a string; anything else reads as 0.
func decimal(v any) *big.Rat {
	if s, ok := v.(string); ok && numeric.MatchString(s) {
		v = json.Number(s)
	}
	return rational(v)
}

// written returns a number or a string as it was written, "" for anything else.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		return ""
	}
}

// near reports whether two amounts differ by a hundredth at most, which the authority tolerates for rounding.
func near(a, b *big.Rat) bool {
	difference := new(big.Rat).Sub(a, b)
	return difference.Abs(difference).Cmp(big.NewRat(1, 100)) <= 0
}
