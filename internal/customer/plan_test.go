package customer_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestCustomer_warnsOfATwinInTheRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second any
		want   string
	}{
		"another number":                {"52998224725", ""},
		"no number":                     {nil, ""},
		"the same, in another spelling": {"11.222.333/0001-81", `Two new customers with one tax number: 11.222.333/0001-81: Another block of this run, "First"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := acctest.Serve(t, s, nil)
			first, second := p.Object("einvoice_customer"), p.Object("einvoice_customer")
			first.MustPlan(first.Value(first.Type, map[string]any{"name": "First", "federal_tax_number": "11222333000181"}))
			_, said := second.Plan(second.Value(second.Type, map[string]any{"name": "Second", "federal_tax_number": test.second}))
			if len(said) != min(1, len(test.want)) || len(said) == 1 && !strings.HasPrefix(said[0].Summary+": "+said[0].Detail, test.want) {
				t.Errorf("the plan says %v, want %q", said, test.want)
			}
			if acctest.ErrorsIn(said) != "" || len(s.Requests()) != 0 {
				t.Errorf("it fails, or asks the service: %v, %d requests", said, len(s.Requests()))
			}
		})
	}
}

// A CLI plans one object several times, when it is replaced for example.
func TestAccCustomer_isNoTwinOfItself(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewAttached(t, acctest.Config(s, `resource "einvoice_customer" "test" {
  name               = "Padaria"
  federal_tax_number = "11222333000181"
}`))
	for _, run := range [][]string{nil, {"-replace=einvoice_customer.test"}} {
		if output := w.MustRun(append([]string{"apply", "-auto-approve", "-input=false"}, run...)...); strings.Contains(output, "Two new customers") {
			t.Errorf("apply %v takes the customer for its own twin:\n%s", run, output)
		}
	}
}
