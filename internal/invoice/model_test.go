package invoice

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestTextList_tellsAnEmptyListFromNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		texts []einvoice.Text
		want  types.List
	}{
		"none":  {nil, types.ListNull(types.StringType)},
		"empty": {[]einvoice.Text{}, types.ListValueMust(types.StringType, nil)},
	} {
		if got := textList("", test.texts).value; !got.Equal(test.want) {
			t.Errorf("%s is shown as %s, want %s", name, got, test.want)
		}
	}
}
