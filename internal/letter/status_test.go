package letter

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestStatus_tellsWhetherALetterHasToWait(t *testing.T) {
	t.Parallel()
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		said := (&correction{}).notAuthorized(t.Context(), &einvoice.Invoice{Status: einvoice.Enum(status)})
		text := said[0].Detail()
		if strings.Contains(text, "after the authorization") != want.Says("awaited") {
			t.Errorf("awaited: %s", text)
		}
		if strings.Contains(text, "payload of the invoice") != want.Says("rejected") {
			t.Errorf("rejected: %s", text)
		}
	})
}
