package pace

import (
	"net/http"
	"slices"
	"time"
)

const (
	// forgetAfter is how long an exchange without an answer counts as under way: after that
	// its process is gone or its request long counted.
	forgetAfter = 10 * time.Second

	// minute is the window of the limit per minute.
	minute = time.Minute

	// sameReset is how far apart two times of a window's end may be: services round them.
	sameReset = minute / 40

	// stateVersion marks a document of this layout.
	stateVersion = 1
)

// Whether the service sends the headers of the limit.
const (
	headersUnknown = ""
	headersSent    = "sent"
	headersAbsent  = "absent"
)

// bounds are the bounds of one client.
type bounds struct {
	perMinute, perSecond int           // 0 is none
	reserve              int           // the part of perMinute that stays free
	apart                time.Duration // how much later than the first of a pair the second may come
	headers              bool          // the rest by the service's headers is a bound too
}

// state is what all processes know of one key's limit. Times are microseconds since 1970, 0 for none.
type state struct {
	Version   int        `json:"version"`
	Exchanges []exchange `json:"exchanges"`

	// The service's current window, by its headers.
	Headers   string `json:"headers"`
	Remaining int    `json:"remaining"`
	Reset     int64  `json:"reset"`

	// The one request that asks for a window that is not known.
	Asker   string `json:"asker"`
	AskedAt int64  `json:"askedAt"`

	// NotBefore holds back every request.
	NotBefore int64 `json:"notBefore"`
}

// exchange is one request; Answered is 0 while it is under way.
type exchange struct {
	ID       string `json:"id"`
	Sent     int64  `json:"sent"`
	Answered int64  `json:"answered"`
}

func at(micros int64) time.Time { return time.UnixMicro(micros) }

// over is when an exchange ended, or will count as ended.
func (e exchange) over() time.Time {
	if e.Answered != 0 {
		return at(e.Answered)
	}
	return at(e.Sent).Add(forgetAfter)
}

// take enters the exchanges of these ids and returns 0, or returns how long to wait before asking again. Of a pair it
// enters the first alone where one request has to ask for the window, and with a bound of one. The second may have to
// come later: it is entered all the same, so that no other request takes its place, and asks again before it goes.
func (s *state) take(l bounds, now time.Time, ids ...string) time.Duration {
	if i := s.find(ids[0]); i >= 0 && s.Exchanges[i].over().After(now) {
		s.Exchanges[i].Sent = now.UnixMicro()
		return s.held(l, now)
	}
	s.drop(ids...)
	if l.perSecond == 1 || l.perMinute == 1 {
		ids = ids[:1]
	}
	wait := s.wait(l, len(ids), now)
	if wait > 0 && wait <= l.apart && s.wait(l, 1, now) == 0 {
		wait = 0
	}
	switch {
	case wait > 0:
		return wait
	case s.asks(l, now):
		ids = ids[:1]
		s.Asker, s.AskedAt = ids[0], now.UnixMicro()
	case s.counts(l):
		s.Remaining -= len(ids)
	}
	for _, id := range ids {
		s.Exchanges = append(s.Exchanges, exchange{ID: id, Sent: now.UnixMicro()})
	}
	return 0
}

// hold enters an exchange that is to come as soon as the bounds allow it, unless it is entered already.
func (s *state) hold(id string, l bounds, now time.Time) {
	if s.find(id) >= 0 {
		return
	}
	if s.counts(l) {
		s.Remaining--
	}
	s.Exchanges = append(s.Exchanges, exchange{ID: id, Sent: now.UnixMicro()})
}

// held returns how long an exchange that is entered has to wait for its place, 0 when it may go now.
func (s *state) held(l bounds, now time.Time) time.Duration {
	wait := max(at(s.NotBefore).Sub(now), s.full(l.perSecond, 0, PerSecondPause, now))
	wait = max(wait, s.full(l.perMinute, 0, minute+AfterReset, now), 0)
	if s.counts(l) && !s.asks(l, now) && s.Remaining < 0 {
		wait = max(wait, at(s.Reset).Add(AfterReset).Sub(now))
	}
	return wait
}

// counts reports whether the service's window is a bound.
func (s *state) counts(l bounds) bool { return l.headers && s.Headers != headersAbsent }

// asks reports whether the service's window is a bound and not known.
func (s *state) asks(l bounds, now time.Time) bool {
	return s.counts(l) && (s.Reset == 0 || !now.Before(at(s.Reset).Add(AfterReset)))
}

// wait returns how long to wait until n exchanges may begin at once, 0 when that is so now.
func (s *state) wait(l bounds, n int, now time.Time) time.Duration {
	if wait := at(s.NotBefore).Sub(now); wait > 0 {
		return wait
	}
	if wait := s.full(l.perSecond, n, PerSecondPause, now); wait > 0 {
		return wait
	}
	// The service counts from the arrival: a request is out of its window a minute after its answer at the latest.
	if wait := s.full(l.perMinute-l.reserve, n, minute+AfterReset, now); wait > 0 {
		return wait
	}
	switch {
	case s.asks(l, now):
		if s.Asker != "" && now.Sub(at(s.AskedAt)) < forgetAfter {
			return askPoll
		}
	case s.counts(l) && s.Remaining < l.reserve+n:
		return at(s.Reset).Add(AfterReset).Sub(now)
	}
	return 0
}

// full returns how long to wait until limit has room for n more exchanges in window, 0 when that is so now. An exchange
// occupies it until window after its end.
func (s *state) full(limit, n int, window time.Duration, now time.Time) time.Duration {
	if limit <= 0 {
		return 0
	}
	var waits []time.Duration
	longest := forgetAfter + window
	for _, e := range s.Exchanges {
		if wait := e.over().Add(window).Sub(now); wait > 0 {
			waits = append(waits, wait)
			if e.Answered == 0 {
				longest = window // An answer that comes now frees its slot a window from now.
			}
		}
	}
	if len(waits)+n <= limit {
		return 0
	}
	slices.Sort(waits)
	return min(waits[len(waits)+n-1-limit], longest)
}

// normalize drops past exchanges, and moves times that a jump of the clock put into the future back to now, so that
// no wait outlasts a window. It reports a jump, which has to be stored: only then the times begin to age.
func (s *state) normalize(now time.Time) (jumped bool) {
	latest := now.UnixMicro()
	limit := func(t *int64, most int64) {
		if *t > most {
			*t, jumped = most, true
		}
	}
	kept := s.Exchanges[:0]
	for _, e := range s.Exchanges {
		limit(&e.Sent, latest)
		limit(&e.Answered, latest)
		if e.over().Add(minute + PerSecondPause).After(now) {
			kept = append(kept, e)
		}
	}
	s.Exchanges = kept
	limit(&s.AskedAt, latest)
	limit(&s.NotBefore, now.Add(PerSecondPause).UnixMicro())
	if at(s.Reset).After(now.Add(LongestWait)) {
		s.Reset = 0
	}
	return jumped
}

// find returns where an exchange is, -1 for nowhere.
func (s *state) find(id string) int {
	return slices.IndexFunc(s.Exchanges, func(e exchange) bool { return e.ID == id })
}

// drop takes exchanges out, and reports whether one of them asked for the window.
func (s *state) drop(ids ...string) (asked bool) {
	s.Exchanges = slices.DeleteFunc(s.Exchanges, func(e exchange) bool { return slices.Contains(ids, e.ID) })
	if asked = s.Asker != "" && slices.Contains(ids, s.Asker); asked {
		s.Asker, s.AskedAt = "", 0
	}
	return asked
}

// end marks the end of an exchange, and reports whether it asked for the window.
func (s *state) end(id string, now time.Time) (asked bool) {
	asked = s.drop(id)
	s.Exchanges = append(s.Exchanges, exchange{ID: id, Sent: now.UnixMicro(), Answered: now.UnixMicro()})
	return asked
}

// pause holds back every request for as long as the limit per second counts.
func (s *state) pause(now time.Time) {
	s.NotBefore = max(s.NotBefore, now.Add(PerSecondPause).UnixMicro())
}

// learn takes in an answer's headers. Answers come out of order: one of the known window may only lower the rest, one
// of an earlier window says nothing, and only the asker's answer, or one of a later window, may raise it.
func (s *state) learn(asked bool, status int, header http.Header, now time.Time) {
	remaining, reset := Window(header, now)
	limited := status == http.StatusTooManyRequests
	if limited && header.Get("Retry-After") == "" && (remaining > 0 || remaining == 0 && !reset.After(now)) {
		s.pause(now) // The limit per second, or a window that turns a little later by the service's clock.
	}
	if remaining < 0 || reset.IsZero() {
		if s.Headers == headersUnknown {
			s.Headers = headersAbsent
		}
		return
	}
	if reset.After(now.Add(LongestWait)) {
		// One of the clocks has jumped: only the own windows count until the headers make sense.
		s.Headers, s.Reset = headersAbsent, 0
		return
	}
	s.Headers = headersSent
	switch apart := reset.Sub(at(s.Reset)); {
	case asked || apart > sameReset:
		s.Remaining = max(remaining-s.underWay(now), 0)
		s.Reset = reset.UnixMicro()
	case apart >= -sameReset:
		if limited {
			s.Remaining++ // It did not use the one that it took.
		}
		s.Remaining = min(s.Remaining, remaining)
		s.Reset = max(s.Reset, reset.UnixMicro())
	}
}

// underWay counts the exchanges whose answers will lower the window's rest.
func (s *state) underWay(now time.Time) int {
	n := 0
	for _, e := range s.Exchanges {
		if e.Answered == 0 && e.over().After(now) {
			n++
		}
	}
	return n
}

// merge adds the exchanges of a process's memory. The rest of the window is then unknown.
func (s *state) merge(memory state) {
	for _, e := range memory.Exchanges {
		i := s.find(e.ID)
		if i < 0 {
			s.Exchanges = append(s.Exchanges, e)
		} else if s.Exchanges[i].Answered == 0 {
			s.Exchanges[i] = e
		}
	}
	s.Reset, s.NotBefore = 0, max(s.NotBefore, memory.NotBefore)
}
