package invoice_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A service may issue what was to be a draft. The person hears of the invoice at once,
// and goes on with it.
func TestIssuance_issueFalseThatIsIssuedIsAnErrorAndIsTakenOver(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{QueueDrafts: true})
	o := testkit.Serve(t, s, nil).Object(kind)
	wanted := map[string]any{"model": "productInvoice", "integration_id": "order-1", "payload_json": fixture.ProductPayload}
	draft := maps.Clone(wanted)
	draft["issue"] = false
	for range 2 { // The second run finds what the first one made.
		state, said := o.Create(draft)
		held := s.Invoices("")
		if len(held) != 1 {
			t.Fatalf("the service holds %d invoices, want 1", len(held))
		}
		texts := testkit.ErrorsIn(said)
		if !strings.Contains(texts, "Not a draft: ") || !strings.Contains(texts, fmt.Sprint(held[0]["id"])) {
			t.Errorf("the error does not name the invoice: %s", texts)
		}
		if state != nil {
			t.Errorf("the state has %v", state)
		}
	}
	if state, said := o.Create(wanted); state["status"] != "authorized" {
		t.Errorf("it is not taken over: %v %v", state, said)
	}
	fixture.WantRequests(t, s, "POST", "/v1/{model}", 1)
}
