package attribute

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A service may ignore case in member names.
func TestValidateExtra_refusesWhatHasAnAttributeInAnyCase(t *testing.T) {
	t.Parallel()
	s := schema.Schema{Attributes: map[string]schema.Attribute{"federal_tax_number": schema.StringAttribute{Optional: true}, "extra_json": ExtraJSON("customer")}}
	for extra, errors := range map[string]int{
		`{"notes":"x"}`: 0, `{"federalTaxNumber":"1"}`: 1, `{"federaltaxnumber":"1"}`: 1, `{"FederalTaxNumber":"1","ID":"2"}`: 2, `{"APICredentials":{}}`: 1,
	} {
		raw := tftypes.NewValue(s.Type().TerraformType(t.Context()), map[string]tftypes.Value{
			"federal_tax_number": tftypes.NewValue(tftypes.String, nil), "extra_json": tftypes.NewValue(tftypes.String, extra),
		})
		if diags := ValidateExtra(t.Context(), tfsdk.Config{Raw: raw, Schema: s}); diags.ErrorsCount() != errors {
			t.Errorf("%s: %v, want %d errors", extra, diags, errors)
		}
	}
}
