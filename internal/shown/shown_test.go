package shown

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestTexts_tellsAnEmptyListFromNone(t *testing.T) {
	t.Parallel()
	none, empty := Texts[einvoice.Text]("", nil).Value, Texts("", []einvoice.Text{}).Value
	if !none.IsNull() || empty.IsNull() {
		t.Errorf("none is %s, and an empty list is %s", none, empty)
	}
}
