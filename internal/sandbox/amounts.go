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
