package jsontree

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWith(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ path, object, want string }{
		"an empty object gets its first member":            {"b", `{}`, `{"b":1}`},
		"spaces stay":                                      {"b", "{ \"a\" : 0 }\n", "{ \"a\" : 0 ,\"b\":1}\n"},
		"the member is replaced in its place":              {"b", `{"a": 0, "b" : {"b": 5}, "c": "}"}`, `{"a": 0, "b" : 1, "c": "}"}`},
		"a name inside another object is not the one":      {"b", `{"a": {"b": 5}}`, `{"a": {"b": 5},"b":1}`},
		"a name that is written with an escape is seen":    {"b", `{"\u0062": 0}`, `{"\u0062": 1}`},
		"of two members with one name the last one counts": {"b", `{"b": 5, "b": 6}`, `{"b": 5, "b": 1}`},
		"a value is replaced at any depth":                 {"a.b.c", `{"a": { "b" : {"c":0, "d" :2} }}`, `{"a": { "b" : {"c":1, "d" :2} }}`},
		"missing objects are made at any depth":            {"a.b.c", `{"a": {"d": 2}}`, `{"a": {"d": 2,"b":{"c":1}}}`},
		"null on the way is an object without members":     {"a.b", `{"a": null}`, `{"a": {"b":1}}`},
		"what is missing altogether is made":               {"a.b", ``, `{"a":{"b":1}}`},
		"an empty name is a name":                          {"", `{}`, `{"":1}`},
	} {
		path := strings.Split(test.path, ".")
		got, err := With(json.RawMessage(test.object), json.RawMessage("1"), path...)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v; want %s", name, got, err, test.want)
		}
		if back, err := At(got, path...); err != nil || string(back) != "1" {
			t.Errorf("%s: %s is read back as %s, %v", name, got, back, err)
		}
	}
}

func TestWith_refusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, object := range []string{`1`, `"a"`, `[{}]`, `{"a": 1}`, `{"a": [1]}`, `{"a": {}`, `{"a" 1}`, `{"a": {"b": }}`} {
		if got, err := With(json.RawMessage(object), json.RawMessage("1"), "a", "b"); err == nil {
			t.Errorf("%s has become %s", object, got)
		}
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ object, path, want string }{
		{`{"a": {"b": {"c": 1.50}}}`, "a.b.c", "1.50"},
		{`{"a": null}`, "a", "null"},
		{`{"a": null}`, "a.b", ""},
		{`{}`, "a.b.c", ""},
		{``, "a", ""},
	} {
		if got, err := At(json.RawMessage(test.object), strings.Split(test.path, ".")...); err != nil || string(got) != test.want {
			t.Errorf("%s of %s is %q, %v; want %q", test.path, test.object, got, err, test.want)
		}
	}
	if got, err := At(json.RawMessage(`{"a": [1]}`), "a", "b"); err == nil {
		t.Errorf("a list has the member %s", got)
	}
}
