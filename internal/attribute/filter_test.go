package attribute

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSentDate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		end        bool
		want       string
	}{
		{"nothing is sent for nothing", "", false, ""},
		{"a date-time with an offset is sent as it is", "2026-11-30T23:59:59Z", true, "2026-11-30T23:59:59Z"},
		{"one without an offset gets that of São Paulo", "2026-11-30T23:59", false, "2026-11-30T23:59:00-03:00"},
		{"a day as the start", "2026-11-30", false, "2026-11-30T00:00:00-03:00"},
		{"a day as the end", "2026-11-30", true, "2026-11-30T23:59:59.999-03:00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			begin, end, _ := ParseDate(test.text)
			limit := begin
			if test.end {
				limit = end
			}
			if diff := cmp.Diff(test.want, SentDate(test.text, limit)); diff != "" {
				t.Error(diff)
			}
			if sent := SentDate(test.text, limit); sent != "" {
				if _, err := time.Parse(time.RFC3339, sent); err != nil {
					t.Errorf("%q is no date-time: %v", sent, err)
				}
			}
		})
	}
}
