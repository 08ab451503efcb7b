package product_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestProduct_warnsOfWhatNoSaleCanHave(t *testing.T) {
	t.Parallel()
	with := func(code any) map[string]any { return map[string]any{"code": code} }
	acctest.WantTwins(t, "einvoice_product", []acctest.Twins{
		{Name: "two codes", First: with("A"), Second: with("B")},
		{Name: "one code", First: with("PAO-1"), Second: with("pão-1"), Want: `Two new products with one code: pão-1: Another block of this run, "First"`},
		{Name: "codes not known yet", First: with(tftypes.UnknownValue), Second: with(tftypes.UnknownValue)},
		{Name: "no price", First: with("A"), Second: map[string]any{"code": "B", "price": 0}},
		{Name: "a negative price", First: with("A"), Second: map[string]any{"code": "B", "price": -2.5}, Want: "Negative price: `price` is -2.5."},
	})
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
