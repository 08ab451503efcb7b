package jsontree

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                      "line 1, column 1: expected a value before the end",
		`{ "a": { "b": "secret" }`:              "line 1, column 25: expected `}` before the end",
		"{\n  \"a\": [1, 2\n":                   "line 3, column 1: expected `]` before the end",
		`{"a": "secret`:                         "line 1, column 14: expected a double quote that ends the text",
		"{\n  \"a\": 1\n  \"b\": 2\n}":          "line 3, column 3: expected a comma or `}`",
		`{"ação" 1}`:                            "line 1, column 9: expected a colon",
		`{secret: 1}`:                           "line 1, column 2: expected a member name in double quotes, or `}`",
		`[1 2]`:                                 "line 1, column 4: expected a comma or `]`",
		`secret`:                                "line 1, column 1: expected a value: an object, a list",
		`[truth]`:                               "line 1, column 5: expected true, false or null",
		`[1.x]`:                                 "line 1, column 4: expected a number such as",
		`[-]`:                                   "line 1, column 3: expected a number such as",
		`["\x"]`:                                "line 1, column 4: expected an escape such as",
		`["\u12x"]`:                             "line 1, column 7: expected four hexadecimal digits",
		"[\"a\nb\"]":                            "line 1, column 4: expected no line break",
		`{} secret`:                             "line 1, column 4: expected the end of the text",
		strings.Repeat("[", 10_001):             "line 1, column 10001: expected at most 10,000 levels",
		"\ufeff{":                               "line 1, column 2: expected `}` before the end",
		`{ "key": "Zx9" "other": "Zx9" } "Zx9"`: "line 1, column 16: expected a comma or `}`",
	} {
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
