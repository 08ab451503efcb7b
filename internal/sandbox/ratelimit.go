package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// rateWindow is what one key has used.
type rateWindow struct {
	minuteStart time.Time
	minuteCount int
	secondStart time.Time
	secondCount int
	// times of the admitted requests, kept only for sliding windows.
	times []time.Time
}

// rateVerdict is what the limiter says to one request; refused is the message of a 429, or empty.
type rateVerdict struct {
	refused string
	header  http.Header
}

// admit counts a request against its key: 60 in a minute and 5 in a second, reads and writes alike, counted per key.
// The headers are those of the minute, also when the limit of the second refuses. Refused requests do not count.
func (s *Server) admit(key string) rateVerdict {
	if !s.opts.RateLimit {
		return rateVerdict{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.windows[key]
	if w == nil {
		w = &rateWindow{}
		s.windows[key] = w
	}
	now := s.clock.Now()
	inMinute, inSecond, reset := w.used(now, s.opts)
	perMinute, perSecond := s.opts.RateLimitPerMinute, s.opts.RateLimitPerSecond

	var v rateVerdict
	switch {
	case inMinute >= perMinute:
		v.refused = fmt.Sprintf("API calls quota exceeded! maximum admitted %d per %s.", perMinute, windowName(s.opts.RateLimitWindow))
	case perSecond > 0 && inSecond >= perSecond:
		v.refused = fmt.Sprintf("API calls quota exceeded! maximum admitted %d per 1s.", perSecond)
	default:
		w.minuteCount++
		w.secondCount++
		inMinute++
		if s.opts.SlidingWindow {
			w.times = append(w.times, now)
		}
	}
	v.header = http.Header{}
	v.header.Set("x-rate-limit-limit", windowName(s.opts.RateLimitWindow))
	v.header.Set("x-rate-limit-remaining", strconv.Itoa(max(0, perMinute-inMinute)))
	v.header.Set("x-rate-limit-reset", instant(reset))
	return v
}

// used turns windows that are over and returns the counts of the current ones and the end of the longer.
func (w *rateWindow) used(now time.Time, o Options) (inMinute, inSecond int, reset time.Time) {
	if o.SlidingWindow {
		for len(w.times) > 0 && !w.times[0].Add(o.RateLimitWindow).After(now) {
			w.times = w.times[1:]
		}
		for _, t := range w.times {
			if t.Add(time.Second).After(now) {
				inSecond++
			}
		}
		reset = now.Add(o.RateLimitWindow)
		if len(w.times) > 0 {
			reset = w.times[0].Add(o.RateLimitWindow)
		}
		return len(w.times), inSecond, reset
	}
	if w.minuteStart.IsZero() || !w.minuteStart.Add(o.RateLimitWindow).After(now) {
		w.minuteStart, w.minuteCount = now, 0
	}
	if w.secondStart.IsZero() || !w.secondStart.Add(time.Second).After(now) {
		w.secondStart, w.secondCount = now, 0
	}
	return w.minuteCount, w.secondCount, w.minuteStart.Add(o.RateLimitWindow)
}

// seen is used for those who only look: a window that is over is not begun anew.
func (w *rateWindow) seen(now time.Time, o Options) (inMinute, inSecond int, reset time.Time) {
	same := *w
	return same.used(now, o)
}

func windowName(d time.Duration) string {
	if d%time.Minute == 0 {
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}
