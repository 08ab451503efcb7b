package invoice

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestTextList_tellsAnEmptyListFromNone(t *testing.T) {
	t.Parallel()
	none, empty := textList("", nil).value, textList("", []einvoice.Text{}).value
	if !none.IsNull() || empty.IsNull() {
		t.Errorf("none is %s, and an empty list is %s", none, empty)
	}
}
