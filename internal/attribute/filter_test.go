package attribute

import (
	"testing"
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
		limit, end, _ := ParseDate(test.text)
		if test.end {
			limit = end
		}
		if got := SentDate(test.text, limit); got != test.want {
			t.Errorf("%s: %q is sent as %q, want %q", test.name, test.text, got, test.want)
		}
	}
}
