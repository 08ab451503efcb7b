package company

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestReadActivities(t *testing.T) {
	t.Parallel()
	activity := func(code, kind string) einvoice.EconomicActivity {
		return einvoice.EconomicActivity{Code: einvoice.Text(code), Type: einvoice.Enum(kind)}
	}
	main, second := activity("1091102", "main"), activity("4721102", "secondary")
	configured := types.ListValueMust(economicActivityType, []attr.Value{
		types.ObjectValueMust(economicActivityTypes, map[string]attr.Value{"code": types.StringValue("1091-1/02"), "type": types.StringValue("main")}),
		types.ObjectValueMust(economicActivityTypes, map[string]attr.Value{"code": types.StringValue("4721102"), "type": types.StringValue("secondary")}),
	})
	for name, test := range map[string]struct {
		held []einvoice.EconomicActivity
		same bool
	}{
		"without punctuation": {[]einvoice.EconomicActivity{main, second}, true},
		"in another order":    {[]einvoice.EconomicActivity{second, main}, true},
		"one less":            {[]einvoice.EconomicActivity{main}, false},
		"one twice":           {[]einvoice.EconomicActivity{main, second, second}, false},
		"another main one":    {[]einvoice.EconomicActivity{activity("1091102", "secondary"), activity("4721102", "main")}, false},
		"none":                {nil, false},
	} {
		if got := readActivities(configured, test.held); got.Equal(configured) != test.same {
			t.Errorf("%s: read as %s", name, got)
		}
	}
	if got := readActivities(types.ListUnknown(economicActivityType), []einvoice.EconomicActivity{main}); len(got.Elements()) != 1 {
		t.Errorf("what was not known is read as %s", got)
	}
}

func TestCompanyModel_noticesAReplacedKeyOnlyWhenTheMaskProvesIt(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Key, Shown string
		Want       bool
	}](t, "company_model_notices_a_replaced_key_only_when_the_mask_proves_it.json") {
		m := companyModel{companyRecord: companyRecord{APIKeyMasked: maskedKey(test.Shown)}, APIKey: types.StringValue(test.Key)}
		expect.Is(t, m.keyWasReplaced(), test.Want, "%s: got", name)
		if strings.Contains(m.APIKeyMasked.ValueString(), "c3d4") {
			t.Errorf("%s: %q is no mask", name, m.APIKeyMasked.ValueString())
		}
	}
}
