package jsontree

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameText(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		A, B string
		Want bool
	}](t, "same_text.json") {
		expect.Is(t, SameText(test.A, test.B), test.Want, "%s: SameText(%s, %s)", name, test.A, test.B)
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct{ Configured, Held, Want string }](t, "project.json") {
		rows.Case(t, name, func(t *testing.T) {
			var values [3]any
			for i, text := range []string{test.Configured, test.Held, test.Want} {
				var err error
				if values[i], err = Decode([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if got := Project(values[0], values[1]); !Same(got, values[2]) {
				t.Errorf("%s through the keys of %s is %v, want %s", test.Held, test.Configured, got, test.Want)
			}
		})
	}
}

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

func TestCheck(t *testing.T) {
	t.Parallel()
	broken := rows.Read[map[string]string](t, "check.json")
	broken[strings.Repeat("[", 10_001)] = "line 1, column 10001: expected at most 10,000 levels"
	for text, want := range broken {
		err := Check(text)
		if err == nil || !strings.HasPrefix(err.Said().String(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
		if err != nil && (strings.Contains(err.Said().String(), "secret") || strings.Contains(err.Said().String(), "Zx9")) {
			t.Errorf("%q: the error quotes the text: %v", text, err)
		}
	}
	for _, text := range []string{`{}`, ` [1, "a"] `, `null`, "\ufeff{\"a\": 1}", `1e400`} {
		if err := Check(text); err != nil {
			t.Errorf("%q is JSON: %v", text, err)
		}
	}
}

// What is said of a broken text is made of the table alone, whatever the text holds.
func FuzzCheck(f *testing.F) {
	f.Add(`{"a": [1, "x"}`)
	f.Add("[\n1,]")
	f.Fuzz(func(t *testing.T, text string) {
		err := Check(text)
		_, decodes := Decode([]byte(text))
		if (err == nil) != (decodes == nil) {
			t.Fatalf("%q: %v, and decoding says %v", text, err, decodes)
		}
		if err == nil {
			return
		}
		if err.Expected.String() == "valid JSON" {
			t.Errorf("%q: encoding/json says something that the table does not have", text)
		}
		if err.Line < 1 || err.Column < 1 || err.Line > 1+strings.Count(text, "\n") {
			t.Errorf("%q: line %d, column %d", text, err.Line, err.Column)
		}
	})
}
