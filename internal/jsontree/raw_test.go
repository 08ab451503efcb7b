package jsontree

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestWith(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct{ Path, Object, Want string }](t, "with.json") {
		path := strings.Split(test.Path, ".")
		got, err := With(json.RawMessage(test.Object), json.RawMessage("1"), path...)
		if err != nil || string(got) != test.Want {
			t.Errorf("%s: got %s, %v; want %s", name, got, err, test.Want)
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
