package attribute

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
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
