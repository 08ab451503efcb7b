package month

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestStatus_decidesWhatAMonthCounts(t *testing.T) {
	t.Parallel()
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		v := &einvoice.Invoice{Status: einvoice.Enum(status)}
		for column, got := range map[string]bool{"uses number": v.Meaning().UsesNumber, "decided": isDecided(v)} {
			if got != want.Says(column) {
				t.Errorf("%s: %t", column, got)
			}
		}
	})
}
