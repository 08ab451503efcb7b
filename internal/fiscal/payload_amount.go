package fiscal

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

// plainNumber is a number that can be computed with: 1e999999999 is JSON as well, and nobody has the memory for it.
var plainNumber = regexp.MustCompile(`^-?[0-9]{1,30}(\.[0-9]{1,30})?$`)

// amountOf reads an amount exactly, from a number or from a text of digits.
func amountOf(value any) (*big.Rat, bool) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	if !plainNumber.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// cent is what rounding may make two sums differ by.
var cent = big.NewRat(1, 100)

// differ reports whether two amounts are more than a cent apart.
func differ(a, b *big.Rat) bool { return apart(a, b).Cmp(cent) > 0 }

// apart is the difference of two amounts, without its sign.
func apart(a, b *big.Rat) *big.Rat {
	difference := new(big.Rat).Sub(a, b)
	return difference.Abs(difference)
}

// percentOf is a hundredth of an amount.
func percentOf(amount *big.Rat) *big.Rat { return new(big.Rat).Quo(amount, big.NewRat(100, 1)) }

// money writes an amount for a person.
func money(amount *big.Rat) string { return amount.FloatString(2) }

// decimal writes a quantity or a price for a person, with all its digits.
func decimal(number *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(number.FloatString(10), "0"), ".")
}

// sumOf adds up the amounts of a list; false where one of them is not known.
func sumOf(list []any, of func(any) (*big.Rat, bool)) (*big.Rat, bool) {
	sum := new(big.Rat)
	for _, part := range list {
		amount, ok := of(part)
		if !ok {
			return nil, false
		}
		sum.Add(sum, amount)
	}
	return sum, true
}
