package fiscal_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestTaxNumber_kindAndNormalizedForm(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		In, Normalized string
		Kind           fiscal.Kind
	}](t, "tax_number_kind_and_normalized_form.json")
	for name, tt := range tests {
		kind, got := fiscal.TaxNumberKind(tt.In), fiscal.NormalizeTaxNumber(tt.In)
		if again := fiscal.NormalizeTaxNumber(got); kind != tt.Kind || got != tt.Normalized || again != got {
			t.Errorf("%s: %q is %s %q, and then %q, want %s %q", name, tt.In, kind, got, again, tt.Kind, tt.Normalized)
		}
	}
}

func TestCheckTaxNumber(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		In   string
		Want string // a part of the error; empty for none
	}](t, "check_tax_number.json")
	for name, tt := range tests {
		err := fiscal.CheckTaxNumber(tt.In)
		if (err == nil) != (tt.Want == "") || err != nil && !strings.Contains(err.Error(), tt.Want) {
			t.Errorf("%s: CheckTaxNumber(%q) = %v, want %q", name, tt.In, err, tt.Want)
		}
	}
}

func TestWithLeadingZeros(t *testing.T) {
	t.Parallel()
	for in, want := range rows.Read[map[string]string](t, "with_leading_zeros.json") {
		if got := fiscal.WithLeadingZeros(in); got != want {
			t.Errorf("WithLeadingZeros(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseTaxNumber(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct{ In, Want, Wrong string }](t, "parse_tax_number.json")
	for name, tt := range tests {
		got, err := fiscal.ParseTaxNumber(tt.In)
		if got != tt.Want || (err == nil) != (tt.Wrong == "") || err != nil && !strings.Contains(err.Error(), tt.Wrong) {
			t.Errorf("%s: ParseTaxNumber(%q) = %q, %v, want %q, %q", name, tt.In, got, err, tt.Want, tt.Wrong)
		}
	}
}

func TestFormatTaxNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"52998224725": "529.982.247-25", "529982247-25": "529.982.247-25",
		"11222333000181": "11.222.333/0001-81", "12abc34501de35": "12.ABC.345/01DE-35",
		" US-123 ": "US-123", "": "",
	} {
		if got := fiscal.FormatTaxNumber(in); got != want {
			t.Errorf("FormatTaxNumber(%q) = %q, want %q", in, got, want)
		}
	}
}
