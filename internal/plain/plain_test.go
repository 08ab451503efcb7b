package plain

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
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
		expect.Is(t, Excerpt(text, 20), want, "%q becomes", text)
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a k\"y/1 b":              "a (key) b",
		`malformed "k\"y/1"`:      `malformed "(key)"`,
		"/v1/k%22y%2F1?q=k%22y/1": "/v1/(key)?q=k%22y/1",
		"none":                    "none",
	} {
		expect.Is(t, Without(text, "(key)", `k"y/1`, ""), want, "%q becomes", text)
	}
}

func TestError_keepsItsCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("a\x1bb")
	if err := Error(cause, "a b"); err.Error() != "a b" || !errors.Is(err, cause) {
		t.Error(err)
	}
}
