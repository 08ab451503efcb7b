package page

import "testing"

func TestRedactor_hidesByNameAndByValue(t *testing.T) {
	t.Parallel()
	c := NewRedactor([]string{"secret-word", "12", ""})
	for name, tt := range map[string]struct {
		field string
		value any
		want  string
	}{
		"a plain text":                    {"userName", "fiscal", "fiscal"},
		"a text with a secret in it":      {"userName", "a secret-word b", "a (hidden) b"},
		"a short secret is in many texts": {"series", "12", "12"},
		"a field whose name says it":      {"apiKey", "x", "(hidden)"},
		"an identifier that only sounds":  {"tokenId", "000001", "000001"},
		"a flag whose name says it":       {"hasPassword", true, "true"},
		"a number whose name says it":     {"senha", 1234, "(hidden)"},
		"what is below":                   {"options", map[string]any{"list": []any{map[string]any{"clientSecret": "x", "n": 1}, "secret-word"}, "secret-word": nil}, `{"(hidden)":null,"list":[{"clientSecret":"(hidden)","n":1},"(hidden)"]}`},
		"markup is left to the template":  {"options", []any{"<b>"}, `["<b>"]`},
		"nothing":                         {"password", nil, ""},
	} {
		if got := c.Value(tt.field, tt.value); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestRedactor_showsAddressesAndFailuresWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	c := NewRedactor([]string{"whsec_word"})
	for raw, want := range map[string]string{
		"https://user:pw@hooks.example:8/in/a?token=1#f": "https://hooks.example:8/in/a?…",
		"http://127.0.0.1:1/whsec_word":                  "http://127.0.0.1:1/(hidden)",
		"::not a url":                                    "",
		"":                                               "",
	} {
		if got := c.Address(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
	}
	for raw, want := range map[string]string{
		`Post "http://h/?token=a": dial tcp 127.0.0.1:1: connect: connection refused`: "dial tcp 127.0.0.1:1: connect: connection refused",
		"build the request: odd":                                    "build the request: odd",
		`build the request: parse "http://h/?token=\"a\"": invalid`: "build the request: parse …: invalid",
		`Post "http://h/?token=a`:                                   "Post …",
	} {
		if got := c.Failure(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
	}
}
