package product_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestProduct_warnsOfWhatNoSaleCanHave(t *testing.T) {
	t.Parallel()
	with := func(code any) map[string]any { return map[string]any{"code": code} }
	testkit.WantTwins(t, "einvoice_product", []testkit.Twins{
		{Name: "two codes", First: with("A"), Second: with("B")},
		{Name: "one code", First: with("PAO-1"), Second: with("pão-1"), Want: `Two new products with one code: pão-1: Another block of this run, "First"`},
		{Name: "codes not known yet", First: with(tftypes.UnknownValue), Second: with(tftypes.UnknownValue)},
		{Name: "no price", First: with("A"), Second: map[string]any{"code": "B", "price": 0}},
		{Name: "a negative price", First: with("A"), Second: map[string]any{"code": "B", "price": -2.5}, Want: "Negative price: `price` is -2.5."},
	})
}
