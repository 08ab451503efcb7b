package jsontree

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameText(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		A, B string
		Want bool
	}](t, "same_text.json") {
		if got := SameText(test.A, test.B); got != test.Want {
			t.Errorf("%s: SameText(%s, %s) = %v, want %v", name, test.A, test.B, got, test.Want)
		}
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ configured, held, want string }{
		"other members are left out at any depth": {`{"a":{"b":1}}`, `{"a":{"b":2,"c":3},"d":4}`, `{"a":{"b":2}}`},
		"what is missing is null":                 {`{"a":1,"b":{"c":2}}`, `{}`, `{"a":null,"b":null}`},
		"also of objects in a list":               {`{"a":[{"b":1},[{"c":1}]]}`, `{"a":[{"b":1,"c":2},[{"b":3,"c":4}]]}`, `{"a":[{"b":1},[{"c":4}]]}`},
		"a list of another length is taken whole": {`{"a":[{"b":1}]}`, `{"a":[{"b":1,"c":2},1]}`, `{"a":[{"b":1,"c":2},1]}`},
		"another kind of value is taken whole":    {`{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`},
		"no object is compared as it is":          {`1`, `{"a":1}`, `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var values [3]any
			for i, text := range []string{test.configured, test.held, test.want} {
				var err error
				if values[i], err = Decode([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if got := Project(values[0], values[1]); !Same(got, values[2]) {
				t.Errorf("%s through the keys of %s is %v, want %s", test.held, test.configured, got, test.want)
			}
		})
	}
}
