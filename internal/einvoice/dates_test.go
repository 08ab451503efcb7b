package einvoice

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameTime_comparesInstants(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		A, B Text
		Want bool
	}](t, "same_time_compares_instants.json") {
		if got := SameTime(test.A, test.B); got != test.Want {
			t.Errorf("%q and %q: %t, want %t", test.A, test.B, got, test.Want)
		}
	}
}
