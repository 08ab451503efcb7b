package jsontree

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameText(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		A, B string
		Want bool
	}](t, "same_text.json") {
		if got := SameText(test.A, test.B); got != test.Want {
			t.Errorf("%s: SameText(%s, %s) = %v, want %v", name, test.A, test.B, got, test.Want)
		}
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct{ Configured, Held, Want string }](t, "project.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
