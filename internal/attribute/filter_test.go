package attribute

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSentDate(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, Text string
		End        bool
		Want       string
	}](t, "sent_date.json") {
		limit, end, _ := ParseDate(test.Text)
		if test.End {
			limit = end
		}
		if got := SentDate(test.Text, limit); got != test.Want {
			t.Errorf("%s: %q is sent as %q, want %q", test.Name, test.Text, got, test.Want)
		}
	}
}
