package einvoice

import "time"

// SaoPaulo is the zone of a date without an offset, which is assumed; summer time ended in 2019.
var SaoPaulo = time.FixedZone("America/Sao_Paulo", -3*60*60)

// ParseTime reads an ISO 8601 date, with or without a time and an offset.
func ParseTime(text string) (time.Time, bool) { return ParseTimeIn(text, SaoPaulo) }

// ParseTimeIn is ParseTime for a date whose zone is known where it has no offset.
func ParseTimeIn(text string, zone *time.Location) (time.Time, bool) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// SameTime reports whether two dates are one instant. What is no date is compared as text.
func SameTime(a, b Text) bool {
	at, aIsTime := ParseTime(string(a))
	bt, bIsTime := ParseTime(string(b))
	if aIsTime && bIsTime {
		return at.Equal(bt)
	}
	return a == b
}
