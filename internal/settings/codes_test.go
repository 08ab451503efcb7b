package settings

import (
	"encoding/json"
	"testing"
)

// What a service may show of a list of codes that it was sent.
func TestCodesForm(t *testing.T) {
	t.Parallel()
	const sent = `[{"id": 1, "code": "ABCDEFGH-01"}]`
	for name, test := range map[string]struct {
		shown string
		form  secretForm
	}{
		"the same":               {`[{"code":"ABCDEFGH-01","id":1}]`, same},
		"with its own members":   {`[{"code":"ABCDEFGH-01","id":1,"active":true,"usedBy":{"name":"somebody","since":2026}}]`, same},
		"a number as a text":     {`[{"code":"ABCDEFGH-01","id":"1"}]`, same},
		"another code":           {`[{"code":"HGFEDCBA-01","id":1}]`, another},
		"one more":               {`[{"code":"ABCDEFGH-01","id":1},{"code":"HGFEDCBA-01","id":2}]`, another},
		"another form":           {`{"code":"ABCDEFGH-01","id":1}`, another},
		"without the number":     {`[{"code":"ABCDEFGH-01","active":true}]`, masked},
		"masked":                 {`[{"code":"AB*********","id":1}]`, masked},
		"masked as a whole":      {`"****"`, masked},
		"masked in another form": {`[{"code":"HG*********","id":1}]`, masked},
		"without the code":       {`[{"id":1}]`, masked},
		"without it, but active": {`[{"id":1,"active":true}]`, masked},
		"the code null":          {`[{"id":1,"code":null}]`, masked},
		"the code empty":         {`[{"id":1,"code":""}]`, masked},
		"cut to a list of texts": {`["ABCD"]`, masked},
		"null":                   {`null`, unset},
		"an empty text":          {`""`, unset},
		"no element":             {`[]`, unset},
		"no member":              {`{}`, unset},
	} {
		if form := codesForm(json.RawMessage(test.shown), sent); form != test.form {
			t.Errorf("%s: form %d, want %d", name, form, test.form)
		}
	}
}
