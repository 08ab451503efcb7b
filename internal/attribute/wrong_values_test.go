package attribute

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestValidators_warnOfWrongCheckDigits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		check       TextCheck
		value, want string // of the warning; "" for none
	}{
		{TaxNumberValidator, "11.222.333/0001-81", ""},
		{TaxNumberValidator, "US-1234567", ""},
		{TaxNumberValidator, "123456789012", ""},
		{TaxNumberValidator, "11222333000182", "Tax number with wrong check digits"},
		{
			TaxNumberValidator, "1222333000128", "`company` is \"1222333000128\". With the leading zeros that spreadsheets drop " +
				"it is the CNPJ 01.222.333/0001-28, whose check digits are right. Write \"01222333000128\"",
		},
		{TaxNumberValidator, "1234567890", "it is the CPF 012.345.678-90"},
		{CompanyTaxNumberValidator, "11.222.333/0001-81", ""},
		{CompanyTaxNumberValidator, "529.982.247-25", ""},
		{CompanyTaxNumberValidator, "12ABC34501DE35", ""},
		{CompanyTaxNumberValidator, "", ""},
		{
			CompanyTaxNumberValidator, "1122233300018", "`company` is \"1122233300018\". A CPF has 11 digits, and a CNPJ " +
				"14 characters, of which the last two are digits; without punctuation this one has 13 characters.",
		},
		{CompanyTaxNumberValidator, "US-1234567", "Neither CPF nor CNPJ"},
		{CompanyTaxNumberValidator, "11222333000182", "Tax number with wrong check digits"},
		{CompanyTaxNumberValidator, "1222333000128", "Tax number without its leading zeros"},
		{CityCodeValidator, "3550308", ""},
		{CityCodeValidator, "9999999", ""},
		{CityCodeValidator, "3550307", "City code with a wrong check digit: 3550307"},
	} {
		var resp validator.StringResponse
		req := validator.StringRequest{Path: path.Root("company"), ConfigValue: types.StringValue(test.value)}
		test.check.ValidateString(t.Context(), req, &resp)
		if resp.Diagnostics.HasError() || (len(resp.Diagnostics) > 0) != (test.want != "") {
			t.Errorf("%q: %v", test.value, resp.Diagnostics)
		}
		if test.want != "" {
			fixture.WantTexts(t, resp.Diagnostics, test.want)
		}
	}
}
