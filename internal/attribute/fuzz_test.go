package attribute

import (
	"encoding/json"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

func FuzzProjectExtra(f *testing.F) {
	f.Add(`{"a":{"b":1}}`, `{"a":{"b":1.0,"c":2}}`)
	f.Add(`{"a":[1]}`, `{"a":null}`)
	f.Add(`{}`, `[]`)
	f.Fuzz(func(t *testing.T, prior, held string) {
		if !json.Valid([]byte(prior)) || !json.Valid([]byte(held)) {
			return
		}
		extra := JSONValue(prior)
		first, diags := ProjectExtra(extra, json.RawMessage(held))
		if diags.HasError() {
			t.Fatalf("%s over %s: %v", prior, held, diags)
		}
		// What was read once does not drift against the same object.
		second, _ := ProjectExtra(first, json.RawMessage(held))
		if !jsontree.SameText(first.ValueString(), second.ValueString()) {
			t.Errorf("%s over %s drifts: %s, then %s", prior, held, first.ValueString(), second.ValueString())
		}
	})
}

func FuzzSpelling(f *testing.F) {
	for _, s := range []string{"11.222.333/0001-81", "são  paulo", "+55 (11)", "SP", "\xff", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []*Spelling{TaxNumberSpelling, RegistrationSpelling, postalCodeSpelling, PhoneSpelling, StateSpelling, placeSpelling} {
			if !s.Same(text, text) || !s.Same(text, s.normalize(text)) {
				t.Errorf("the %s %q is not the same as what is sent for it, %q", s.name, text, s.normalize(text))
			}
		}
	})
}
