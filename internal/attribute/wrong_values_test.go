package attribute

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
)

func TestWholeNumberValidator(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		value types.Int64
		want  string
	}{
		"the least":   {types.Int64Value(1), ""},
		"more":        {types.Int64Value(900), ""},
		"null":        {types.Int64Null(), ""},
		"unknown":     {types.Int64Unknown(), ""},
		"zero":        {types.Int64Value(0), "`product_invoice.next_number` is 0. It must be a whole number of at least 1, for example 2."},
		"less than 0": {types.Int64Value(-5), "`product_invoice.next_number` is -5."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp validator.Int64Response
			WholeNumberValidator{Least: 1}.ValidateInt64(t.Context(), validator.Int64Request{Path: path.Root("product_invoice").AtName("next_number"), ConfigValue: test.value}, &resp)
			if resp.Diagnostics.HasError() != (test.want != "") {
				t.Fatalf("diagnostics %v, want %q", resp.Diagnostics, test.want)
			}
			if test.want != "" {
				fixture.WantTexts(t, resp.Diagnostics, "Invalid next number", test.want)
			}
		})
	}
}

func TestTaxNumberValidator(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"11.222.333/0001-81": "", "US-1234567": "", "123456789012": "",
		"11222333000182": "Tax number with wrong check digits",
		"1222333000128":  "`receiver` is \"1222333000128\". With the leading zeros that spreadsheets drop it is the CNPJ 01.222.333/0001-28, whose check digits are right. Write \"01222333000128\"",
		"1234567890":     "it is the CPF 012.345.678-90",
	} {
		var resp validator.StringResponse
		TaxNumberValidator.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("receiver"), ConfigValue: types.StringValue(value)}, &resp)
		if resp.Diagnostics.HasError() || (len(resp.Diagnostics) > 0) != (want != "") {
			t.Errorf("%q: %v", value, resp.Diagnostics)
		}
		if want != "" {
			fixture.WantTexts(t, resp.Diagnostics, want)
		}
	}
}

func TestCompanyTaxNumberValidator(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"11.222.333/0001-81": "", "529.982.247-25": "", "12ABC34501DE35": "", "": "",
		"1122233300018":  "`company` is \"1122233300018\". A CPF has 11 digits, and a CNPJ 14 characters, of which the last two are digits; without punctuation this one has 13 characters.",
		"US-1234567":     "Neither CPF nor CNPJ",
		"11222333000182": "Tax number with wrong check digits",
		"1222333000128":  "Tax number without its leading zeros",
	} {
		var resp validator.StringResponse
		CompanyTaxNumberValidator.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("company"), ConfigValue: types.StringValue(value)}, &resp)
		if resp.Diagnostics.HasError() || (len(resp.Diagnostics) > 0) != (want != "") {
			t.Errorf("%q: %v", value, resp.Diagnostics)
		}
		if want != "" {
			fixture.WantTexts(t, resp.Diagnostics, want)
		}
	}
}

func TestEntriesValidator(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		value types.List
		want  bool
	}{
		"an entry":   {types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a")}), false},
		"null":       {types.ListNull(types.StringType), false},
		"unknown":    {types.ListUnknown(types.StringType), false},
		"no entries": {types.ListValueMust(types.StringType, nil), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp validator.ListResponse
			EntriesValidator{Example: `{ a = 1 }`}.ValidateList(t.Context(), validator.ListRequest{Path: path.Root("items"), ConfigValue: test.value}, &resp)
			if resp.Diagnostics.HasError() != test.want {
				t.Fatalf("diagnostics %v", resp.Diagnostics)
			}
			if test.want {
				fixture.WantTexts(t, resp.Diagnostics, "Empty items", "`items` is an empty list", "for example `[{ a = 1 }]`", "omit the argument")
			}
		})
	}
}

// The rule of a duration is told once, in the provider's words.
func TestWaitTimeouts_leaveTheRuleToOneCheck(t *testing.T) {
	t.Parallel()
	attribute, ok := WaitTimeouts(t.Context(), timeouts.Opts{Create: true, Update: true, Delete: true}).(schema.SingleNestedAttribute)
	if !ok || len(attribute.Attributes) != 3 {
		t.Fatalf("timeouts are %T", attribute)
	}
	for name, inner := range attribute.Attributes {
		if text, ok := inner.(schema.StringAttribute); !ok || len(text.Validators) != 0 {
			t.Errorf("timeouts.%s has %d validators of its own", name, len(text.Validators))
		}
	}
}
