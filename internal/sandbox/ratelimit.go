package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The limits of the specification, section Limits. That windows are fixed, and begin with a request, is assumed.
const (
	requestsPerMinute = 60
	requestsPerSecond = 5
)

// rateWindow is what one key has used.
type rateWindow struct {
	minuteStart time.Time
	minuteCount int
	secondStart time.Time
	secondCount int
}

// admit counts a request against its key: 60 in a minute and 5 in a second, reads and writes alike. The headers are
// always those of the minute. Refused requests do not count; refused is the message of the 429.
func (s *Server) admit(key string) (header http.Header, refused string) {
	if !s.opts.RateLimit {
		return nil, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.windows[key]
	if w == nil {
		w = &rateWindow{}
		s.windows[key] = w
	}
	w.turn(s.clock.Now())

	switch {
	case w.minuteCount >= s.opts.RateLimitPerMinute:
		refused = fmt.Sprintf("API calls quota exceeded! maximum admitted %d per 1m.", s.opts.RateLimitPerMinute)
	case w.secondCount >= requestsPerSecond:
		refused = fmt.Sprintf("API calls quota exceeded! maximum admitted %d per 1s.", requestsPerSecond)
	default:
		w.minuteCount++
		w.secondCount++
	}
	header = http.Header{}
	header.Set("x-rate-limit-limit", "1m")
	header.Set("x-rate-limit-remaining", strconv.Itoa(s.opts.RateLimitPerMinute-w.minuteCount))
	header.Set("x-rate-limit-reset", instant(w.reset()))
	return header, refused
}

// turn restarts the windows that are over.
func (w *rateWindow) turn(now time.Time) {
	if now.Sub(w.minuteStart) >= time.Minute {
		w.minuteStart, w.minuteCount = now, 0
	}
	if now.Sub(w.secondStart) >= time.Second {
		w.secondStart, w.secondCount = now, 0
	}
}

// reset is the end of the longer window.
func (w *rateWindow) reset() time.Time { return w.minuteStart.Add(time.Minute) }

// seen is a copy for display, with the windows restarted that are over; w itself stays.
func (w *rateWindow) seen(now time.Time) rateWindow {
	same := *w
	same.turn(now)
	return same
}
