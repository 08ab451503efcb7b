package settings

import (
	"encoding/json"
	"testing"
)

// What a service may show of a list of codes that it was sent.
func TestShownCodes(t *testing.T) {
	t.Parallel()
	const sent = `[{"id": 1, "code": "ABCDEFGH-01"}]`
	for name, test := range map[string]struct {
		shown         string
		form          secretForm
		less, another bool
	}{
		"the same":               {`[{"code":"ABCDEFGH-01","id":1}]`, secretClear, false, false},
		"with its own members":   {`[{"code":"ABCDEFGH-01","id":1,"active":true,"usedBy":{"name":"somebody","since":2026}}]`, secretClear, false, false},
		"a number as a text":     {`[{"code":"ABCDEFGH-01","id":"1"}]`, secretClear, false, false},
		"another code":           {`[{"code":"HGFEDCBA-01","id":1}]`, secretClear, false, true},
		"one more":               {`[{"code":"ABCDEFGH-01","id":1},{"code":"HGFEDCBA-01","id":2}]`, secretClear, false, true},
		"another form":           {`{"code":"ABCDEFGH-01","id":1}`, secretClear, false, true},
		"masked":                 {`[{"code":"AB*********","id":1}]`, secretMasked, true, false},
		"masked as a whole":      {`"****"`, secretMasked, true, false},
		"masked in another form": {`[{"code":"HG*********","id":1}]`, secretMasked, true, false},
		"without the code":       {`[{"id":1}]`, secretMasked, true, false},
		"of another number":      {`[{"id":2}]`, secretMasked, true, true},
		"without it, but active": {`[{"id":1,"active":true}]`, secretMasked, true, false},
		"the code null":          {`[{"id":1,"code":null}]`, secretMasked, true, false},
		"the code empty":         {`[{"id":1,"code":""}]`, secretMasked, true, false},
		"null":                   {`null`, secretUnset, true, false},
		"an empty text":          {`""`, secretUnset, true, false},
		"no element":             {`[]`, secretUnset, true, false},
		"no member":              {`{}`, secretUnset, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, form := shownCodes(json.RawMessage(test.shown)); form != test.form {
				t.Errorf("form %d, want %d", form, test.form)
			}
			if less, another := compareCodes(sent, test.shown); less != test.less || another != test.another {
				t.Errorf("less %t, another %t; want %t, %t", less, another, test.less, test.another)
			}
		})
	}
}
