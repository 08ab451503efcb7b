package product_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestProduct_warnsOfWhatNoSaleCanHave(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, second map[string]any // new products of one run
		want          string         // of the second
	}{
		"two codes":           {map[string]any{"code": "A"}, map[string]any{"code": "B"}, ""},
		"one code":            {map[string]any{"code": "PAO-1"}, map[string]any{"code": "pão-1"}, `Two new products with one code: pão-1: Another block of this run, "First"`},
		"codes not known yet": {map[string]any{"code": tftypes.UnknownValue}, map[string]any{"code": tftypes.UnknownValue}, ""},
		"no price":            {map[string]any{"code": "A"}, map[string]any{"code": "B", "price": 0}, ""},
		"a negative price":    {map[string]any{"code": "A"}, map[string]any{"code": "B", "price": -2.5}, "Negative price: `price` is -2.5."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := acctest.Serve(t, s, nil)
			first, second := p.Object("einvoice_product"), p.Object("einvoice_product")
			test.first["name"], test.second["name"] = "First", "Second"
			first.MustPlan(first.Value(first.Type, test.first))
			_, said := second.Plan(second.Value(second.Type, test.second))
			if len(said) != min(1, len(test.want)) || len(said) == 1 && !strings.HasPrefix(said[0].Summary+": "+said[0].Detail, test.want) {
				t.Errorf("the plan says %v, want %q", said, test.want)
			}
			if acctest.ErrorsIn(said) != "" || len(s.Requests()) != 0 {
				t.Errorf("it fails, or asks the service: %v, %d requests", said, len(s.Requests()))
			}
		})
	}
}

// The next run, and an object that exists, are no second one.
func TestProduct_isNoTwinOfItself(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	arguments := map[string]any{"name": "Pão", "code": "PAO-1"}
	for range 2 {
		o := acctest.Serve(t, s, nil).Object("einvoice_product")
		if planned, said := o.Plan(o.Value(o.Type, arguments)); len(said) > 0 {
			t.Errorf("the plan says %v", said)
		} else if said := o.Apply(o.Value(o.Type, arguments), planned); len(said) > 0 {
			t.Errorf("the apply says %v", said)
		}
		if _, said := o.Plan(o.Value(o.Type, arguments)); len(said) > 0 {
			t.Errorf("the next plan says %v", said)
		}
	}
}

// The service keeps what is sent: no apply may say otherwise, nor plan it again.
func TestProduct_saysNothingOfAPriceThatIsKept(t *testing.T) {
	t.Parallel()
	for _, prices := range [][2]float64{{19.9, 0.1}, {0, 100}, {1234567.89, 0.333333333333}} {
		s := sandbox.Start(t, sandbox.Options{})
		o := acctest.Serve(t, s, nil).Object("einvoice_product")
		for _, price := range prices {
			if _, said := o.Create(map[string]any{"name": "Pão", "code": "PAO-1", "price": price}); len(said) > 0 {
				t.Errorf("%v: it says %v", price, said)
			}
		}
	}
}
