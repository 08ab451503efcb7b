package pace

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// PerSecondPause is the window of the limit per second, with a tenth more for the jitter of
	// arrivals. A 429 with requests left for the minute is of that limit.
	PerSecondPause = 1100 * time.Millisecond

	// AfterReset is added to the time at which the service's window turns.
	AfterReset = 20 * time.Millisecond

	// LongestWait is twice the window of the limit. A longer wait, such as the interval between inbound syncs, is
	// reported as an error, and so is a limit that lets nothing through for as long.
	LongestWait = 2 * time.Minute

	// clockTolerance is how far the service's Date, which counts whole seconds, may differ from this clock.
	clockTolerance = 2 * time.Second
)

// Window reads the headers of the limit (specification: Limits). remaining is -1 and reset
// zero where the service does not send them. reset is by this machine's clock.
func Window(header http.Header, now time.Time) (remaining int, reset time.Time) {
	remaining = -1
	if n, err := strconv.Atoi(strings.TrimSpace(header.Get("x-rate-limit-remaining"))); err == nil && n >= 0 {
		remaining = n
	}
	if at, ok := instant(header.Get("x-rate-limit-reset")); ok {
		reset = Shifted(at, header, now)
	}
	return remaining, reset
}

// instant reads a UTC date-time, with or without a zone, or seconds or milliseconds since
// 1970: clients have met all of these.
func instant(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		const oldest, firstMillisecond, newest = 1e8, 1e11, 1e15 // as seconds, the years 1973 and 5138
		if n <= firstMillisecond {
			n *= 1000
		}
		return time.UnixMilli(int64(n)), n > oldest*1000 && n <= newest
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Shifted moves a time of the service's clock to this machine's, where the service's Date shows that they differ.
func Shifted(at time.Time, header http.Header, now time.Time) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return at
	}
	if ahead := date.Sub(now); ahead.Abs() > clockTolerance {
		return at.Add(-ahead)
	}
	return at
}
