package einvoice

import "testing"

func TestSameTime_comparesInstants(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b Text
		want bool
	}{
		{"2026-03-10T12:00:00Z", "2026-03-10T09:00:00-03:00", true},
		{"2026-03-10T12:00:00Z", "2026-03-10T12:00:00.000Z", true},
		{"2026-03-10T09:00:00", "2026-03-10T12:00:00Z", true},
		{"2026-03-10", "2026-03-10T00:00:00-03:00", true},
		{"2026-03-10T12:00:00Z", "2026-03-10T12:00:00-03:00", false},
		{"", "", true},
		{"", "2026-03-10", false},
		{"yesterday", "yesterday", true},
		{"yesterday", "today", false},
	} {
		if got := SameTime(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %t, want %t", test.a, test.b, got, test.want)
		}
	}
}
