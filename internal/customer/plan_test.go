package customer_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestCustomer_warnsOfATwinInTheRun(t *testing.T) {
	t.Parallel()
	with := func(number any) map[string]any { return map[string]any{"federal_tax_number": number} }
	testkit.WantTwins(t, "einvoice_customer", []testkit.Twins{
		{Name: "another number", First: with("11222333000181"), Second: with("52998224725")},
		{Name: "no number", First: with("11222333000181"), Second: with(nil)},
		{
			Name: "the same, in another spelling", First: with("11222333000181"), Second: with("11.222.333/0001-81"),
			Want: `Two new customers with one tax number: 11.222.333/0001-81: Another block of this run, "First"`,
		},
	})
}
