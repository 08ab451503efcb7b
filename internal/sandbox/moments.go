package sandbox

import (
	"time"
)

// localZone is São Paulo, which has had no summer time since 2019. Times without an offset are read in it.
var localZone = time.FixedZone("-03", -3*60*60)

// instant formats a time of the service's own records: UTC with seven digits.
func instant(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.0000000Z07:00")
}

// local formats a time of an invoice: whole seconds with the offset of São Paulo.
func local(t time.Time) string {
	return t.In(localZone).Format(time.RFC3339)
}

// parseMoment reads ISO 8601 with an offset, without one (São Paulo), or a date alone (its midnight there).
func parseMoment(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, localZone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
