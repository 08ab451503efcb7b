package fiscal

import (
	"testing"
	"unicode/utf8"
)

func FuzzTaxNumber(f *testing.F) {
	for _, s := range []string{"529.982.247-25", "12.ABC.345/01DE-35", "12abc34501de35", "", "ISENTO", "AB-1234", "１２３", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		normalized := NormalizeTaxNumber(s)
		if again := NormalizeTaxNumber(normalized); again != normalized {
			t.Errorf("%q becomes %q and then %q", s, normalized, again)
		}
		if kind := TaxNumberKind(s); kind != TaxNumberKind(normalized) {
			t.Errorf("%q is %s, but %q is %s", s, kind, normalized, TaxNumberKind(normalized))
		}
		if err := CheckTaxNumber(s); err != nil && utf8.ValidString(s) && !utf8.ValidString(err.Error()) {
			t.Errorf("the text about %q is no text", s)
		}
		if state := NormalizeStateTaxNumber(s); NormalizeStateTaxNumber(state) != state {
			t.Errorf("the state tax number %q is normalized twice", s)
		}
		for state := range stateNumbers {
			StateTaxNumberFits(state, s) // It does not panic.
		}
		if phone := NormalizePhone(s); NormalizePhone(phone) != phone || PhoneDigits(phone) != PhoneDigits(s) {
			t.Errorf("the phone %q is normalized twice: %q", s, phone)
		}
		if folded := FoldPlace(s); FoldPlace(folded) != folded {
			t.Errorf("the place %q is folded twice: %q", s, folded)
		}
	})
}

func FuzzAccessKey(f *testing.F) {
	for _, s := range []string{"35261112ABC34501DE35550010000000421123456788", "13181017921427000125650010000000309887251170", "", "1", "3526 1112"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := ParseAccessKey(s)
		if err != nil {
			return
		}
		if key.Month < 1 || key.Month > 12 || key.Series < 0 || key.Number < 0 || key.CheckDigit < 0 || key.CheckDigit > 9 {
			t.Errorf("%q became %+v", s, key)
		}
		if !IsState(key.State) {
			t.Errorf("%q has no state", s)
		}
	})
}
