package reference

import (
	"testing"
)

func TestCompactJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"white space between values goes", "{ \"a\" :\n 10.00 }", `{"a":10.00}`},
		{"white space in texts stays", `{"a":"x  y"}`, `{"a":"x  y"}`},
	} {
		if got := compactJSON([]byte(test.text)); got != test.want {
			t.Errorf("%s: compactJSON(%s) = %s, want %s", test.name, test.text, got, test.want)
		}
	}
}
