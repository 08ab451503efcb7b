package customer_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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

// A CLI plans one object several times, when it is replaced for example.
func TestAccCustomer_isNoTwinOfItself(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, `resource "einvoice_customer" "test" {
  name               = "Padaria"
  federal_tax_number = "11222333000181"
}`))
	for _, run := range [][]string{nil, {"-replace=einvoice_customer.test"}} {
		if output := w.MustRun(append([]string{"apply", "-auto-approve", "-input=false"}, run...)...); strings.Contains(output, "Two new customers") {
			t.Errorf("apply %v takes the customer for its own twin:\n%s", run, output)
		}
	}
}
