package reference

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestCompactJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"white space between values goes", "{ \"a\" :\n 10.00 }", `{"a":10.00}`},
		{"white space in texts stays", `{"a":"x  y"}`, `{"a":"x  y"}`},
	} {
		expect.Is(t, compactJSON([]byte(test.text)), test.want, "%s: compactJSON(%s)", test.name, test.text)
	}
}
