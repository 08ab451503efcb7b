package sandbox

import (
	"time"
)

// localZone is Sao Paulo, which has had no summer time since 2019. Times without an offset are read in it.
var localZone = time.FixedZone("-03", -3*60*60)

// instant is a time as the service writes those of its own record keeping: UTC with seven digits.
func instant(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.0000000Z07:00")
}

// local is a time as it is written on invoices: whole seconds with the offset of Sao Paulo.
func local(t time.Time) string {
	return t.In(localZone).Format(time.RFC3339)
}

// parseMoment reads ISO 8601 with an offset, without one (Sao Paulo), or a date alone (its midnight there).
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
