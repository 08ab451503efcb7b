package plain

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\r\n\tb\u00a0 c":                "a b c",
		"\x1b[31mred\x07 \u202etxt\u2066": "[31mred txt",
		"\xff\x00ção":                     "\ufffd ção",
		strings.Repeat("ç", 30):           strings.Repeat("ç", 8) + "...",
		"":                                "",
	} {
		if got := Excerpt(text, 20); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
