package pace

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// PerSecondPause is what a 429 with requests left for the minute asks for: it
	// was the limit per second that was hit, and a tenth more than that second
	// covers the jitter of arrivals.
	PerSecondPause = 1100 * time.Millisecond

	// AfterReset is added to the time at which the service's window turns.
	AfterReset = 20 * time.Millisecond

	// LongestWait is twice the window of the limit. What asks for more, such as
	// the interval between inbound syncs, is reported instead of waited for, and so
	// is a limit that let nothing of this process through for as long.
	LongestWait = 2 * time.Minute

	// clockTolerance is how far the service's Date, which counts whole seconds,
	// may lie from this clock before the service's times are shifted by it.
	clockTolerance = 2 * time.Second
)

// Window reads what the service says of its limit (specification: Limits).
// remaining is -1 and reset zero when it does not say. reset is on this machine's
// clock.
func Window(header http.Header, now time.Time) (remaining int, reset time.Time) {
	remaining = -1
	if n, err := strconv.Atoi(strings.TrimSpace(header.Get("x-rate-limit-remaining"))); err == nil && n >= 0 {
		remaining = n
	}
	if at, ok := Instant(header.Get("x-rate-limit-reset")); ok {
		reset = Shifted(at, header, now)
	}
	return remaining, reset
}

// Instant reads a UTC date-time; clients also met seconds and milliseconds since
// 1970.
func Instant(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		const oldest, firstMillisecond = 1e8, 1e11 // in seconds, the years 1973 and 5138
		switch {
		case !(n > oldest) || n > 1e15:
			return time.Time{}, false
		case n > firstMillisecond:
			return time.UnixMilli(int64(n)), true
		}
		return time.UnixMilli(int64(n * 1000)), true
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", http.TimeFormat,
		"01/02/2006 15:04:05",
	} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Shifted moves a time of the service's clock to this machine's, where the
// service's Date shows that the two differ.
func Shifted(at time.Time, header http.Header, now time.Time) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return at
	}
	if ahead := date.Sub(now); ahead > clockTolerance || ahead < -clockTolerance {
		return at.Add(-ahead)
	}
	return at
}
