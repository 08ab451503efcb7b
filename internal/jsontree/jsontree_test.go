package jsontree

import (
	"testing"
)

func TestSameText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"formatting does not matter":             {`{"a":1,"b":[2]}`, "{ \"b\": [ 2 ],\n\"a\": 1 }", true},
		"an escape is the character":             {`{"a":["b"]}`, `{"\u0061":["\u0062"]}`, true},
		"100 is 1000e-01":                        {`100`, `1000e-01`, true},
		"signs matter":                           {`1`, `-1`, false},
		"a list of a value is not the value":     {`{}`, `[{}]`, false},
		"10 is 10.00":                            {`{"a":10}`, `{"a":10.00}`, true},
		"10 is 1e1":                              {`10`, `1E+1`, true},
		"zero has no sign":                       {`-0.0`, `0`, true},
		"0.1 is not 0.10000000000000001":         {`0.1`, `0.10000000000000001`, false},
		"digits beyond a float count":            {`12345678901234567890`, `12345678901234567891`, false},
		"a huge exponent is compared unexpanded": {`1e999999999`, `10e999999998`, true},
		"a number is not its text":               {`1`, `"1"`, false},
		"null is not absence":                    {`{"a":null}`, `{}`, false},
		"order in lists matters":                 {`[1,2]`, `[2,1]`, false},
		"text after the value is no JSON":        {`1 2`, `1 2`, false},
		"true is not 1":                          {`true`, `1`, false},
	} {
		if got := SameText(test.a, test.b); got != test.want {
			t.Errorf("%s: SameText(%s, %s) = %v, want %v", name, test.a, test.b, got, test.want)
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
