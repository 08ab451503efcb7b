package order

import "testing"

func TestSentDateTime_hasAnOffset(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"2026-03-10":                "2026-03-10T00:00:00-03:00",
		"2026-03-10T09:30":          "2026-03-10T09:30:00-03:00",
		"2026-03-10T09:30:01.5":     "2026-03-10T09:30:01.5-03:00",
		"2026-03-10T09:30:00Z":      "2026-03-10T09:30:00Z",
		"2026-03-10T09:30:00-04:00": "2026-03-10T09:30:00-04:00",
		"tomorrow":                  "tomorrow",
	} {
		if got := sentDateTime(text); got != want {
			t.Errorf("%q is sent as %q, want %q", text, got, want)
		}
	}
}
