package invoice_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestIssuance_tellsOfTwoNewInvoicesWithOneName(t *testing.T) {
	t.Parallel()
	const warning = "Two new invoices with one integration_id: NFS-e (sale-1)"
	for name, test := range map[string]struct {
		second map[string]any // where it differs from the first
		want   string
	}{
		"one name": {nil, warning},
		"one name, another payload": {
			map[string]any{"payload_json": `{"description":"Training","federalServiceCode":"17.01","total":{"invoiceAmount":7}}`},
			"Two sales with one integration_id: NFS-e (sale-1)",
		},
		"one name, a payload not known yet": {map[string]any{"payload_json": tftypes.UnknownValue}, warning},
		"two names":                         {map[string]any{"integration_id": "sale-2"}, ""},
		"a name not known yet":              {map[string]any{"integration_id": tftypes.UnknownValue}, ""},
		"another model":                     {map[string]any{"model": "consumerInvoice", "payload_json": tftypes.UnknownValue}, ""},
		"another company":                   {map[string]any{"issuer": fixture.OtherNumber}, ""},
		"a company not known yet":           {map[string]any{"issuer": tftypes.UnknownValue}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			first, second := p.Object(kind), p.Object(kind)
			arguments := saleArguments("sale-1", nil)
			if _, said := first.Plan(first.Value(first.Type, arguments)); len(said) > 0 {
				t.Errorf("the plan of the first says %s", testkit.TextsOf(said))
			}
			maps.Copy(arguments, test.second)
			_, said := second.Plan(second.Value(second.Type, arguments))
			refused := strings.HasPrefix(test.want, "Two sales")
			if (testkit.ErrorsIn(said) != "") != refused || len(said) != min(1, len(test.want)) || !strings.HasPrefix(testkit.TextsOf(said), test.want) {
				t.Errorf("the plan of the second says %q, want %q", testkit.TextsOf(said), test.want)
			}
			fixture.WantRequests(t, s, "", "", 0)
		})
	}
}
