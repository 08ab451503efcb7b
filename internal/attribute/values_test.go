package attribute

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestKeepID(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		known types.String
		read  einvoice.Text
		want  types.String
	}{
		"imported in capitals":  {types.StringValue("AB-1"), "ab-1", types.StringValue("AB-1")},
		"answered in capitals":  {types.StringValue("ab-1"), "AB-1", types.StringValue("ab-1")},
		"another one":           {types.StringValue("ab-1"), "ab-2", types.StringValue("ab-2")},
		"not known yet":         {types.StringUnknown(), "ab-1", types.StringValue("ab-1")},
		"none before":           {types.StringNull(), "ab-1", types.StringValue("ab-1")},
		"none in the answer":    {types.StringUnknown(), "", types.StringNull()},
		"none in either of two": {types.StringNull(), "", types.StringNull()},
	} {
		if got := KeepID(test.known, test.read); !got.Equal(test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

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

func TestSentDate(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, Text string
		End        bool
		Want       string
	}](t, "sent_date.json") {
		limit, end, _ := ParseDate(test.Text)
		if test.End {
			limit = end
		}
		expect.Is(t, SentDate(test.Text, limit), test.Want, "%s: %q is sent as", test.Name, test.Text)
	}
}

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
		expect.Is(t, got, test.wantWarned, "%s: warns of", name)
	}
}

func TestValidators_warnOfWrongCheckDigits(t *testing.T) {
	t.Parallel()
	checks := map[string]TextCheck{
		"tax number": TaxNumberValidator, "company's tax number": CompanyTaxNumberValidator, "city code": CityCodeValidator,
	}
	for _, test := range rows.Read[[]struct{ Check, Value, Warns string }](t, "check_digits.json") {
		var resp validator.StringResponse
		req := validator.StringRequest{Path: path.Root("company"), ConfigValue: types.StringValue(test.Value)}
		checks[test.Check].ValidateString(t.Context(), req, &resp)
		if resp.Diagnostics.HasError() || (len(resp.Diagnostics) > 0) != (test.Warns != "") {
			t.Errorf("%q: %v", test.Value, resp.Diagnostics)
		}
		fixture.WantTexts(t, resp.Diagnostics, test.Warns)
	}
}
