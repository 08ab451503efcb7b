package pace

import (
	"net/http"
	"slices"
	"time"
)

const (
	// rateForget is how long an exchange without an answer counts as under way:
	// after that its process is gone or its request long counted.
	rateForget = 10 * time.Second

	// rateVersion marks a document of this layout.
	rateVersion = 1
)

// Whether the service sends the headers of the limit.
const (
	headersUnknown = ""
	headersSent    = "sent"
	headersAbsent  = "absent"
)

// rateLimits are the bounds of one client.
type rateLimits struct {
	perMinute, perSecond int  // 0 is none
	reserve              int  // of perMinute, what is not to be taken
	headers              bool // what the service's headers leave holds too
}

// rateState is what the processes of this machine know of one key's limit. Times
// are microseconds since 1970, 0 for none.
type rateState struct {
	Version   int            `json:"version"`
	Exchanges []rateExchange `json:"exchanges"`

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

// rateExchange is one request; Answered is 0 while it is under way.
type rateExchange struct {
	ID       string `json:"id"`
	Sent     int64  `json:"sent"`
	Answered int64  `json:"answered"`
}

func at(micros int64) time.Time { return time.UnixMicro(micros) }

// over is when an exchange ended, or will count as ended.
func (e rateExchange) over() time.Time {
	if e.Answered != 0 {
		return at(e.Answered)
	}
	return at(e.Sent).Add(rateForget)
}

// take enters an exchange and returns 0, or returns how long to wait before
// asking again.
func (s *rateState) take(id string, l rateLimits, now time.Time) time.Duration {
	if wait := at(s.NotBefore).Sub(now); wait > 0 {
		return wait
	}
	if wait := s.full(l.perSecond, PerSecondPause, now); wait > 0 {
		return wait
	}
	// The service counts from the arrival: a request is out of its window a minute
	// after its answer at the latest.
	if wait := s.full(l.perMinute-l.reserve, rateMinute+AfterReset, now); wait > 0 {
		return wait
	}
	if l.headers && s.Headers != headersAbsent {
		turned := at(s.Reset).Add(AfterReset)
		switch {
		case s.Reset == 0 || !now.Before(turned):
			if s.Asker != "" && now.Sub(at(s.AskedAt)) < rateForget {
				return ratePoll
			}
			s.Asker, s.AskedAt = id, now.UnixMicro()
		case s.Remaining <= l.reserve:
			return turned.Sub(now)
		default:
			s.Remaining--
		}
	}
	s.Exchanges = append(s.Exchanges, rateExchange{ID: id, Sent: now.UnixMicro()})
	return 0
}

// full returns how long to wait until fewer than limit exchanges occupy window,
// 0 when that is so now. An exchange occupies it until window after its end.
func (s *rateState) full(limit int, window time.Duration, now time.Time) time.Duration {
	if limit <= 0 {
		return 0
	}
	var free []time.Time
	underWay := false
	for _, e := range s.Exchanges {
		if until := e.over().Add(window); until.After(now) {
			free = append(free, until)
			underWay = underWay || e.Answered == 0
		}
	}
	if len(free) < limit {
		return 0
	}
	slices.SortFunc(free, time.Time.Compare)
	wait := free[len(free)-limit].Sub(now)
	if underWay {
		// An answer that comes now frees its slot a window from now.
		wait = min(wait, window)
	}
	return wait
}

// normalize drops what is past and brings back into the present what a jump of the
// clock put into the future, so that no wait outlasts a window. It reports a jump:
// what was brought back begins to age only once it is stored.
func (s *rateState) normalize(now time.Time) (jumped bool) {
	latest := now.UnixMicro()
	bring := func(t *int64, most int64) {
		if *t > most {
			*t, jumped = most, true
		}
	}
	kept := s.Exchanges[:0]
	for _, e := range s.Exchanges {
		bring(&e.Sent, latest)
		bring(&e.Answered, latest)
		if e.over().Add(rateMinute + PerSecondPause).After(now) {
			kept = append(kept, e)
		}
	}
	s.Exchanges = kept
	bring(&s.AskedAt, latest)
	bring(&s.NotBefore, now.Add(PerSecondPause).UnixMicro())
	if at(s.Reset).After(now.Add(LongestWait)) {
		s.Reset = 0
	}
	return jumped
}

// close marks the end of an exchange.
func (s *rateState) close(id string, now time.Time) {
	i := slices.IndexFunc(s.Exchanges, func(e rateExchange) bool { return e.ID == id })
	if i < 0 {
		s.Exchanges = append(s.Exchanges, rateExchange{ID: id, Sent: now.UnixMicro()})
		i = len(s.Exchanges) - 1
	}
	s.Exchanges[i].Answered = now.UnixMicro()
}

func (s *rateState) stopAsking(id string) {
	if s.Asker == id {
		s.Asker, s.AskedAt = "", 0
	}
}

// giveBack takes an exchange out that was never begun. What it took of the
// service's window stays taken: nobody knows any more from which window.
func (s *rateState) giveBack(id string) {
	s.Exchanges = slices.DeleteFunc(s.Exchanges, func(e rateExchange) bool { return e.ID == id })
	s.stopAsking(id)
}

// learn takes in an answer's headers. Answers come out of order: one of the known
// window may only lower what is left of it, one of an earlier window says
// nothing, and only the asker's, or that of a later window, may raise it.
func (s *rateState) learn(id string, status int, header http.Header, now time.Time) {
	asked := s.Asker == id
	s.stopAsking(id)
	remaining, reset := Window(header, now)
	limited := status == http.StatusTooManyRequests
	if limited && header.Get("Retry-After") == "" && (remaining > 0 || remaining == 0 && !reset.After(now)) {
		// The limit per second, or a window that turns a little later than this
		// machine's clock has it: nobody sends for as long.
		s.NotBefore = max(s.NotBefore, now.Add(PerSecondPause).UnixMicro())
	}
	if remaining < 0 || reset.IsZero() {
		if s.Headers == headersUnknown {
			s.Headers = headersAbsent
		}
		return
	}
	if reset.After(now.Add(LongestWait)) {
		// One of the two clocks has jumped. Own windows alone are right until the
		// headers make sense again.
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
			s.Remaining++ // What it took for itself it did not use.
		}
		s.Remaining = min(s.Remaining, remaining)
		s.Reset = max(s.Reset, reset.UnixMicro())
	}
}

// underWay counts the exchanges whose answers will lower the window's rest.
func (s *rateState) underWay(now time.Time) int {
	n := 0
	for _, e := range s.Exchanges {
		if e.Answered == 0 && e.over().After(now) {
			n++
		}
	}
	return n
}
