package attribute

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestCompareValue_numbers(t *testing.T) {
	t.Parallel()

	// configured reads a number as the framework reads it from a CLI, which sends a decimal
	// with more binary digits than a float64 has.
	configured := func(text string) attr.Value {
		number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		expect.NoError(t, err)
		value, err := types.Float64Type.ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.Number, number))
		expect.NoError(t, err)
		return value
	}
	for name, test := range map[string]struct {
		sent       attr.Value
		held       attr.Value
		wantWarned string
	}{
		"a decimal that was kept":    {configured("17.90"), types.Float64Value(17.9), ""},
		"a whole number":             {configured("10"), types.Float64Value(10), ""},
		"a decimal that was rounded": {configured("17.905"), types.Float64Value(17.91), "17.905 17.91"},
		"a number that was dropped":  {configured("0.1"), types.Float64Null(), "0.1 "},
		"a number that was kept":     {types.Float64Null(), types.Float64Value(0.1), " 0.1"},
	} {
		got := ""
		for _, u := range compareValue(path.Root("price"), test.sent, test.held) {
			got = u.sent + " " + u.held
		}
		if got != test.wantWarned {
			t.Errorf("%s: warns of %q, want %q", name, got, test.wantWarned)
		}
	}
}
