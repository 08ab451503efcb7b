package company

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestCompanyModel_noticesAReplacedKeyOnlyWhenTheMaskProvesIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key, shown string
		want       bool
	}{
		"the same first characters":           {"a1b2c3d4e5", "a1b2******", false},
		"other first characters":              {"a1b2c3d4e5", "ffff******", true},
		"a mask without visible characters":   {"a1b2c3d4e5", "**********", false},
		"no mask at all":                      {"a1b2c3d4e5", "", false},
		"no key, as after an import":          {"", "ffff******", false},
		"the whole key":                       {"a1b2c3d4e5", "a1b2c3d4e5", false},
		"another whole key":                   {"a1b2c3d4e5", "ffffc3d4e5", true},
		"a mask as long as a single asterisk": {"a1b2c3d4e5", "*", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := companyModel{companyRecord: companyRecord{APIKeyMasked: maskedKey(test.shown)}, APIKey: types.StringValue(test.key)}
			if got := m.keyWasReplaced(); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if strings.Contains(m.APIKeyMasked.ValueString(), "c3d4") {
				t.Errorf("%q is no mask", m.APIKeyMasked.ValueString())
			}
		})
	}
}
