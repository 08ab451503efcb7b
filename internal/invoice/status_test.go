package invoice

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestStatus_decidesWhatTheResourceDoes(t *testing.T) {
	t.Parallel()
	const plain, spelled = `{"receiver":{"federalTaxNumber":"52998224725"}}`, `{"receiver":{"federalTaxNumber":"529.982.247-25"}}`
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		v := &einvoice.Invoice{Status: einvoice.Enum(status), Raw: []byte(`{"amount":1}`)}
		for column, got := range map[string]bool{
			"at rest": isAtRest(status),
			"final":   !shownPayload(v).IsNull(), "correctable": !samePayload(status, plain, spelled),
		} {
			if got != want.Says(column) {
				t.Errorf("%s: %t", column, got)
			}
		}
	})
}

// A failed download is explained by the status of the invoice.
func TestStatus_tellsWhyThereIsNoDocument(t *testing.T) {
	t.Parallel()
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		s := sandbox.Start(t, sandbox.Options{})
		diags := documentUnavailable(t.Context(), fixture.OwnerClient(t, s), einvoice.ModelProduct,
			fixture.NFe(s, status), &einvoice.Error{Status: 404})
		got, text := "unknown", fixture.DiagnosticText(diags)
		switch {
		case !strings.Contains(text, "No document yet"):
			got = "now"
		case strings.Contains(text, "never authorized"):
			got = "never"
		case strings.Contains(text, "after the authorization"):
			got = "later"
		}
		if got != want["documents"] {
			t.Errorf("documents: %s, want %s\n%s", got, want["documents"], text)
		}
	})
}
