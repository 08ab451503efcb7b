package jsontree

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func FuzzSameText(f *testing.F) {
	f.Add(`{"a":1.0}`, `{"a":1}`, `{"a":1e0}`)
	f.Add(`1e999999999`, `10e999999998`, `0.1E+1000000000`)
	f.Add(`[1,[2,{"x":null}]]`, `0.1e-0`, `10e-2`)
	f.Add(`-0`, `0.000`, `0e99999999999999999999999999`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if SameText(a, b) != SameText(b, a) {
			t.Errorf("%s and %s are equal in one direction only", a, b)
		}
		if json.Valid([]byte(a)) && !SameText(a, a) {
			t.Errorf("%s does not equal itself", a)
		}
		if configured, err := Decode([]byte(a)); err == nil && SameText(a, b) {
			if held, _ := Decode([]byte(b)); !Same(configured, Project(configured, held)) {
				t.Errorf("%s read through the keys of %s, which equals it, differs", b, a)
			}
		}
		if SameText(a, b) && SameText(b, c) && !SameText(a, c) {
			t.Errorf("%s equals %s, which equals %s, and the first does not equal the last", a, b, c)
		}
	})
}

// Two numbers are the same when they are as fractions.
func FuzzSameNumber(f *testing.F) {
	for _, seed := range [][2]string{{"1", "1.0"}, {"1e2", "100"}, {"-0", "0"}, {"1e-3", "0.001"}, {"10E+1", "100.00"}, {"-1", "1"}, {"0e7", "0"}, {"1.5", "15e-1"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 30 || !json.Valid([]byte(a)) || !json.Valid([]byte(b)) {
			return
		}
		for _, text := range []string{a, b} { // A fraction is written out, so that its exponent is limited.
			if _, power, _ := strings.Cut(strings.ToLower(text), "e"); len(strings.Trim(power, "+-0")) > 3 {
				return
			}
		}
		x, isNumber := new(big.Rat).SetString(strings.TrimSpace(a))
		y, isAnother := new(big.Rat).SetString(strings.TrimSpace(b))
		if !isNumber || !isAnother {
			return
		}
		if want := x.Cmp(y) == 0; SameText(a, b) != want {
			t.Errorf("%s and %s: same is %v, want %v", a, b, !want, want)
		}
	})
}

// What was replaced and put back is what it was, byte for byte, and so is every member beside it.
func FuzzWith(f *testing.F) {
	f.Add(`{"a": 0, "b" : {"b": 5} }`, `1`, "b", "b")
	f.Add(`{"b": 1, "b": 2}`, `{}`, "b", "")
	f.Add(` {"": [1.50, "\u00e9<"]}`, `"x"`, "", "c")
	f.Add(`null`, `null`, "a", "b")
	f.Fuzz(func(t *testing.T, object, value, first, second string) {
		raw, path := json.RawMessage(object), strings.Split(strings.ToValidUTF8(first+"\x00"+second, "?"), "\x00")
		held, err := At(raw, path...)
		if err != nil || !json.Valid(raw) || !json.Valid([]byte(value)) {
			return
		}
		changed, err := With(raw, json.RawMessage(value), path...)
		if err != nil {
			t.Fatalf("%q at %q: %v", object, path, err)
		}
		if got, err := At(changed, path...); err != nil || strings.TrimSpace(string(got)) != strings.TrimSpace(value) {
			t.Errorf("%q at %q became %q, which is read as %q, %v", object, path, changed, got, err)
		}
		if held != nil {
			if back, err := With(changed, held, path...); err != nil || string(back) != object {
				t.Errorf("%q at %q became %q and then %q, %v", object, path, changed, back, err)
			}
		}
		before, _ := Members(raw)
		after, _ := Members(changed)
		for name, member := range before {
			if name != path[0] && string(after[name]) != string(member) {
				t.Errorf("%q at %q became %q: another member has changed", object, path, changed)
			}
		}
	})
}
