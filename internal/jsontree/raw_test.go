package jsontree

import (
	"encoding/json"
	"testing"
)

func TestWithMember(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ object, want string }{
		"an empty object gets its first member":         {`{}`, `{"b":1}`},
		"spaces stay":                                   {"{ \"a\" : 0 }\n", "{ \"a\" : 0 ,\"b\":1}\n"},
		"the member is replaced in its place":           {`{"a": 0, "b" : {"b": 5}, "c": "}"}`, `{"a": 0, "b" : 1, "c": "}"}`},
		"a name inside another object is not the one":   {`{"a": {"b": 5}}`, `{"a": {"b": 5},"b":1}`},
		"a name that is written with an escape is seen": {`{"\u0062": 0}`, `{"\u0062": 1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := WithMember(json.RawMessage(test.object), "b", json.RawMessage("1"))
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}
