package jsontree

import (
	"encoding/json"
	"testing"
)

func FuzzSameText(f *testing.F) {
	f.Add(`{"a":1.0}`, `{"a":1}`)
	f.Add(`1e999999999`, `10e999999998`)
	f.Add(`[1,[2,{"x":null}]]`, `0.1e-0`)
	f.Add(`-0`, `0.000`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if SameText(a, b) != SameText(b, a) {
			t.Errorf("%s and %s are equal in one direction only", a, b)
		}
		if json.Valid([]byte(a)) && !SameText(a, a) {
			t.Errorf("%s does not equal itself", a)
		}
	})
}
