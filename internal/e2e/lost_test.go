package e2e_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// What is found again after a lost answer is named by what is known of it.
func TestLostCreations_nameWhatIsKnown(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		arguments map[string]any
		want      string
	}{
		"einvoice_customer": {
			map[string]any{"name": "C 0", "phone": "(11) 91234-5678", "address": map[string]any{"postal_code": "01310-100"}},
			"Adopted customer C 0",
		},
		"einvoice_product": {map[string]any{"name": "Pão", "code": "P-1", "price": 1.5}, "Adopted product P-1 (Pão)"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST"})
			_, said := testkit.Serve(t, s, nil).Object(kind).Create(test.arguments)
			if len(said) != 1 || said[0].Summary != test.want || strings.Contains(said[0].Detail, "()") {
				t.Errorf("%v, want %q", said, test.want)
			}
			if n := s.Count("PUT", ""); n != 0 {
				t.Errorf("%d updates of what is as wanted already", n)
			}
		})
	}
}
