package order_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// The plan asks where plan_lookup says so, and what is known.
func TestPlanLookup_ofAnOrder(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	arguments := map[string]any{
		"transaction_id": "t-1", "amount": 100, "auto_issue_mode": "disabled", "customer": map[string]any{"name": "Maria"},
		"items": item(4, 25, "serviceInvoice"),
	}
	if _, said := testkit.Serve(t, s, nil).Object("einvoice_order").Create(arguments); testkit.ErrorsIn(said) != "" {
		t.Fatal(testkit.ErrorsIn(said))
	}
	for _, looks := range []bool{false, true} {
		s.ResetRequests()
		o := testkit.Serve(t, s, map[string]any{"plan_lookup": looks}).Object("einvoice_order")
		_, said := o.Plan(o.Value(o.Type, arguments))
		if says := len(said) == 1 && strings.Contains(said[0].Summary, "exists: apply continues with it"); says != looks || (len(s.Requests()) > 0) != looks {
			t.Errorf("with plan_lookup = %t the plan made %d requests, and says %v", looks, len(s.Requests()), said)
		}
	}
}

func TestOrder_warnsOfTwoNewOrdersWithOneName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"t-1": "Two new orders with one transaction_id: order t-1", "t-2": ""} {
		s := sandbox.Start(t, sandbox.Options{})
		p := testkit.Serve(t, s, nil)
		arguments := map[string]any{
			"transaction_id": "t-1", "amount": 100, "customer": map[string]any{"name": "Maria"}, "items": item(4, 25, "serviceInvoice"),
		}
		o := p.Object("einvoice_order")
		o.MustPlan(o.Value(o.Type, arguments))
		arguments["transaction_id"] = name
		_, said := o.Plan(o.Value(o.Type, arguments))
		if len(said) != min(1, len(want)) || len(said) == 1 && said[0].Summary != want {
			t.Errorf("the plan of %s after t-1 says %v, want %q", name, said, want)
		}
	}
}
