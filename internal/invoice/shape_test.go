package invoice

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestTextList_tellsAnEmptyListFromNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		texts []str
		want  types.List
	}{
		"none":  {nil, types.ListNull(types.StringType)},
		"empty": {[]str{}, types.ListValueMust(types.StringType, nil)},
	} {
		if got := textList(test.texts); !got.Equal(test.want) {
			t.Errorf("%s is shown as %s, want %s", name, got, test.want)
		}
	}
}
