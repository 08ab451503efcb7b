package invoice_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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

// A reference that is renumbered is another name of the same sale: the one that is planned second says so.
func TestIssuance_tellsOfANewInvoiceWithTheContentOfOneThatLeaves(t *testing.T) {
	t.Parallel()
	const warning, stays, canceled = "May be one sale issued twice: NFS-e", "stays at the service", "is canceled"
	s := sandbox.Start(t, sandbox.Options{})
	old := testkit.Serve(t, s, nil).Object(kind)
	id := fmt.Sprint(old.MustCreate(saleArguments("sale-1", nil))["id"])
	otherSale := saleArguments("sale-3", nil)
	otherSale["payload_json"] = `{"description":"Training","federalServiceCode":"17.01","total":{"invoiceAmount":7}}`
	becomes := func(status string) func() {
		return func() { s.SetInvoiceStatus(id, status); old.MustNotFail(old.Refresh()) }
	}
	for _, test := range []struct {
		name     string
		comes    map[string]any // where it differs from the one that leaves, beside the name
		want     string         // of the warning; none where it is empty
		happened func()         // to the one that leaves
		replaced bool           // its block stays, with another sale
	}{
		{name: "another name", want: stays},
		{name: "another name, and the company", comes: map[string]any{"issuer": fixture.MainNumber}, want: stays},
		{name: "the payload in another spelling", comes: map[string]any{
			"payload_json": `{"total":{"invoiceAmount":100}, "federalServiceCode":"17.01", "description":"Consulting"}`,
		}, want: stays},
		{name: "another name, beside a replacement", replaced: true, want: stays},
		{name: "another payload", comes: map[string]any{"payload_json": `{"description":"Training","federalServiceCode":"17.01","total":{"invoiceAmount":7}}`}},
		{name: "a payload not known yet", comes: map[string]any{"payload_json": tftypes.UnknownValue}},
		{name: "a name not known yet", comes: map[string]any{"integration_id": tftypes.UnknownValue}},
		{name: "another company", comes: map[string]any{"issuer": fixture.OtherNumber}},
		{name: "another model", comes: map[string]any{"model": "consumerInvoice"}},
		{name: "it is enqueued", happened: becomes("enqueued"), want: stays},
		{name: "it leaves and is canceled", happened: func() {
			becomes("authorized")()
			arguments := saleArguments("sale-1", nil)
			arguments["cancellation_reason"] = "Ordered twice by mistake"
			config := old.Value(old.Type, arguments)
			old.MustNotFail(old.Apply(config, old.MustPlan(config)))
		}, want: canceled},
		{name: "it was canceled before", happened: becomes("canceled")},
	} {
		if test.happened != nil {
			test.happened()
		}
		for _, leavesFirst := range []bool{true, false} {
			s.ResetRequests()
			old.Protocol = testkit.Serve(t, s, nil) // Another run.
			o := old.Object(kind)
			arguments := saleArguments("sale-2", nil)
			maps.Copy(arguments, test.comes)
			var said []*tfprotov6.Diagnostic
			leaves := tftypes.NewValue(old.Type, nil)
			if test.replaced {
				leaves = old.Value(old.Type, otherSale)
			}
			plans := []func(){
				func() { _, said = old.Plan(leaves) },
				func() { _, said = o.Plan(o.Value(o.Type, arguments)) },
			}
			if !leavesFirst {
				slices.Reverse(plans)
			}
			for _, plan := range plans {
				plan()
			}
			text := testkit.TextsOf(said)
			isNamed := strings.Contains(text, test.want) && strings.Contains(text, `"sale-1"`) && strings.Contains(text, `"sale-2"`)
			if strings.Contains(text, warning) != (test.want != "") || test.want != "" && !isNamed {
				t.Errorf("%s, it leaves first %t: the second plan says %q, want %q", test.name, leavesFirst, text, test.want)
			}
			fixture.WantRequests(t, s, "", "", 0)
		}
	}
}
