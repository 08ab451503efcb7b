package inbound_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// Both would be declared in each apply: the second one would find the first one's, and so on.
//
//nolint:paralleltest // The cases share a service.
func TestInboundManifestation_refusesTwoBlocksThatContradictEachOther(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := received(s, "none")
	refused := "Two declarations about one invoice: NF-e " + id
	for name, test := range map[string]struct {
		second map[string]any // where it differs from the first
		want   string
	}{
		"another status":               {map[string]any{"status": "notPerformed", "justification": refusedGoods}, refused},
		"another status, with company": {map[string]any{"status": "acknowledged", "company": "11222333000181"}, refused},
		"the same":                     {nil, ""},
		"a status not known yet":       {map[string]any{"status": tftypes.UnknownValue}, ""},
		"another invoice":              {map[string]any{"invoice_id": received(s, "none"), "status": "acknowledged"}, ""},
		"an invoice not known yet":     {map[string]any{"invoice_id": tftypes.UnknownValue, "status": "acknowledged"}, ""},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				p := testkit.Serve(t, s, nil)
				first, second := p.Object(manifestation), p.Object(manifestation)
				arguments := map[string]any{"invoice_id": id, "status": "confirmed"}
				if exists {
					first.MustCreate(arguments)
					p = testkit.Serve(t, s, nil) // Another run.
					first.Protocol, second.Protocol = p, p
				}
				first.MustPlan(first.Value(first.Type, arguments))
				maps.Copy(arguments, test.second)
				_, said := second.Plan(second.Value(second.Type, arguments))
				if failed := testkit.ErrorsIn(said); (failed == "") != (test.want == "") || !strings.Contains(failed, test.want) {
					t.Errorf("the plan of the second says %q, want %q", failed, test.want)
				}
			})
		}
	}
}
