package letter

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
)

func TestLetterValidator_countsCharacters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		letter types.String
		want   string
	}{
		{"14 characters", types.StringValue(strings.Repeat("a", 14)), "has 14 characters"},
		{"14 characters of 28 bytes", types.StringValue(strings.Repeat("ç", 14)), "has 14 characters"},
		{"15 characters", types.StringValue(strings.Repeat("ç", 15)), ""},
		{"1000 characters of 2000 bytes", types.StringValue(strings.Repeat("ç", 1000)), ""},
		{"1001 characters", types.StringValue(strings.Repeat("a", 1001)), "has 1001 characters"},
		{"nothing", types.StringValue(""), "has 0 characters"},
		{"unknown", types.StringUnknown(), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var resp validator.StringResponse
			letterValidator.ValidateString(t.Context(), validator.StringRequest{ConfigValue: test.letter}, &resp)
			if got := fixture.DiagnosticText(resp.Diagnostics); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
