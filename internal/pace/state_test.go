package pace

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	rateNow     = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	usualBounds = bounds{perMinute: 60, perSecond: 5, headers: true}
)

// ago and ahead are times as the state has them.
func ago(d time.Duration) int64   { return rateNow.Add(-d).UnixMicro() }
func ahead(d time.Duration) int64 { return rateNow.Add(d).UnixMicro() }

func windowHeaders(remaining string, reset time.Duration, more ...string) http.Header {
	h := http.Header{}
	h.Set("x-rate-limit-remaining", remaining)
	h.Set("x-rate-limit-reset", rateNow.Add(reset).Format(time.RFC3339Nano))
	for pair := range slices.Chunk(more, 2) {
		h.Set(pair[0], pair[1])
	}
	return h
}

// answeredAgo returns n exchanges answered so long ago, one millisecond apart.
func answeredAgo(n int, d time.Duration) []exchange {
	list := make([]exchange, n)
	for i := range list {
		t := ago(d - time.Duration(i)*time.Millisecond)
		list[i] = exchange{Sent: t - 1000, Answered: t}
	}
	return list
}

func TestState_take(t *testing.T) {
	t.Parallel()
	known := state{Headers: headersSent, Remaining: 10, Reset: ahead(30 * time.Second)}
	with := func(change func(*state)) state {
		s := known
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name      string
		state     state
		limits    bounds
		wait      time.Duration
		remaining int
		asker     string
	}{
		{"nothing is known, so it asks", state{}, usualBounds, 0, 0, "me"},
		{"nothing is known and another asks", state{Asker: "other", AskedAt: ago(9 * time.Second)}, usualBounds, askPoll, 0, "other"},
		{"the other asker is forgotten", state{Asker: "other", AskedAt: ago(10 * time.Second)}, usualBounds, 0, 0, "me"},
		{"requests are left", known, usualBounds, 0, 9, ""},
		{"none are left", with(func(s *state) { s.Remaining = 0 }), usualBounds, 30*time.Second + AfterReset, 0, ""},
		{"the window has turned", with(func(s *state) { s.Reset = ago(AfterReset) }), usualBounds, 0, 10, "me"},
		{"the window turns in this moment", with(func(s *state) { s.Reset = ago(0); s.Remaining = 0 }), usualBounds, AfterReset, 0, ""},
		{"the service sends no headers", state{Headers: headersAbsent}, usualBounds, 0, 0, ""},
		{"no pacing by the minute needs no asker", state{}, bounds{perSecond: 5}, 0, 0, ""},
		{"all are held back", with(func(s *state) { s.NotBefore = ahead(700 * time.Millisecond) }), usualBounds, 700 * time.Millisecond, 10, ""},
		{"four in the second", with(func(s *state) { s.Exchanges = answeredAgo(4, time.Second) }), usualBounds, 0, 9, ""},
		{"five in the second", with(func(s *state) { s.Exchanges = answeredAgo(5, time.Second) }), usualBounds, 100 * time.Millisecond, 10, ""},
		{"seven in the second", with(func(s *state) { s.Exchanges = answeredAgo(7, time.Second) }), usualBounds, 102 * time.Millisecond, 10, ""},
		{"five more than a second ago", with(func(s *state) { s.Exchanges = answeredAgo(5, 1200*time.Millisecond) }), usualBounds, 0, 9, ""},
		{"the second counts from the answer", with(func(s *state) {
			s.Exchanges = []exchange{{Sent: ago(9 * time.Second), Answered: ago(time.Second)}}
		}), bounds{perMinute: 60, perSecond: 1, headers: true}, 100 * time.Millisecond, 10, ""},
		{"one under way may end at any moment", with(func(s *state) {
			s.Exchanges = []exchange{{Sent: ago(time.Second)}}
		}), bounds{perMinute: 60, perSecond: 1, headers: true}, PerSecondPause, 10, ""},
		{"one that never ends is reckoned to have", with(func(s *state) {
			s.Exchanges = []exchange{{Sent: ago(forgetAfter + time.Second)}}
		}), bounds{perMinute: 60, perSecond: 1, headers: true}, 100 * time.Millisecond, 10, ""},
		{"sixty in the minute", with(func(s *state) { s.Exchanges = answeredAgo(60, 50*time.Second) }), usualBounds, 10*time.Second + AfterReset, 10, ""},
		{"sixty, the first a minute ago", with(func(s *state) { s.Exchanges = answeredAgo(60, 61*time.Second) }), usualBounds, 0, 9, ""},
	} {
		s := tt.state
		before := len(s.Exchanges)
		if wait := s.take(tt.limits, rateNow, "me"); wait != tt.wait {
			t.Errorf("%s: wait %s, want %s", tt.name, wait, tt.wait)
		}
		if s.Remaining != tt.remaining || s.Asker != tt.asker {
			t.Errorf("%s: %d are left and %q asks, want %d and %q", tt.name, s.Remaining, s.Asker, tt.remaining, tt.asker)
		}
		if taken := len(s.Exchanges) > before; taken != (tt.wait == 0) {
			t.Errorf("%s: taken %v", tt.name, taken)
		}
	}
}

func TestState_takesAPair(t *testing.T) {
	t.Parallel()
	known := state{Headers: headersSent, Remaining: 10, Reset: ahead(30 * time.Second)}
	remaining := func(n int) state { return with(known, func(s *state) { s.Remaining = n }) }
	after := func(list ...exchange) state { return with(known, func(s *state) { s.Exchanges = list }) }
	apart := func(d time.Duration) bounds { return bounds{perMinute: 60, perSecond: 5, headers: true, apart: d} }
	for _, tt := range []struct {
		name      string
		state     state
		limits    bounds
		wait      time.Duration
		taken     string
		remaining int
	}{
		{"both fit", known, usualBounds, 0, "read write", 8},
		{"two are left", remaining(2), usualBounds, 0, "read write", 0},
		{"one is left", remaining(1), usualBounds, 30*time.Second + AfterReset, "", 1},
		{"three in the second", after(answeredAgo(3, time.Second)...), usualBounds, 0, "read write", 8},
		{"four in the second", after(answeredAgo(4, time.Second)...), usualBounds, 100 * time.Millisecond, "", 10},
		{"58 in the minute", after(answeredAgo(58, 50*time.Second)...), usualBounds, 0, "read write", 8},
		{"59 in the minute", after(answeredAgo(59, 50*time.Second)...), usualBounds, 10*time.Second + AfterReset, "", 10},
		{"the read asks for the window", state{}, usualBounds, 0, "read", 0},
		{"another asks for the window", state{Asker: "other", AskedAt: ago(time.Second)}, usualBounds, askPoll, "", 0},
		{"one a second", known, bounds{perSecond: 1}, 0, "read", 10},
		{"one a minute", known, bounds{perMinute: 1, headers: true}, 0, "read", 9},
		{"one a minute, which is used", after(answeredAgo(1, 50*time.Second)...), bounds{perMinute: 1}, 10*time.Second + AfterReset, "", 10},
		{"the second comes soon enough, and keeps its place", after(answeredAgo(4, time.Second)...), apart(100 * time.Millisecond), 0, "read write", 8},
		{"the second comes too late", after(answeredAgo(4, time.Second)...), apart(99 * time.Millisecond), 100 * time.Millisecond, "", 10},
		{"not even one fits", after(answeredAgo(5, time.Second)...), apart(time.Minute), 101 * time.Millisecond, "", 10},
	} {
		s := tt.state
		var taken []string
		wait := s.take(tt.limits, rateNow, "read", "write")
		for _, e := range s.Exchanges[len(tt.state.Exchanges):] {
			taken = append(taken, e.ID)
		}
		if got := strings.Join(taken, " "); wait != tt.wait || got != tt.taken || s.Remaining != tt.remaining {
			t.Errorf("%s: wait %s, taken %q, %d are left; want %s, %q and %d", tt.name, wait, got, s.Remaining, tt.wait, tt.taken, tt.remaining)
		}
	}
}

// The slot of a write is held until it expires, as that of a process that died.
func TestState_holds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		held      []exchange
		notBefore int64
		wait      time.Duration
		used      int
	}{
		{"it is held", []exchange{{ID: "me", Sent: ago(forgetAfter - 1000)}}, 0, 0, 0},
		{"all are held back", []exchange{{ID: "me", Sent: ago(0)}}, ahead(time.Second), time.Second, 0},
		{"it has expired", []exchange{{ID: "me", Sent: ago(forgetAfter)}}, 0, 0, 1},
		{"it has expired, and the second is full", append(answeredAgo(1, time.Second), exchange{ID: "me", Sent: ago(forgetAfter)}), 0, 100 * time.Millisecond, 0},
		{"it did not fit in", nil, 0, 0, 1},
	} {
		s := state{Headers: headersSent, Remaining: 10, Reset: ahead(30 * time.Second), Exchanges: tt.held, NotBefore: tt.notBefore}
		wait := s.take(bounds{perSecond: 1, headers: true}, rateNow, "me")
		isHeld := s.find("me") >= 0 && s.Exchanges[s.find("me")].Sent == ago(0)
		if wait != tt.wait || s.Remaining != 10-tt.used || isHeld != (wait == 0 || tt.notBefore > 0) {
			t.Errorf("%s: wait %s, %d are left, %v", tt.name, wait, s.Remaining, s.Exchanges)
		}
	}
}

// A write that has to come later than its read keeps its place: in the second, and in the window.
func TestState_keepsThePlaceOfAWrite(t *testing.T) {
	t.Parallel()
	const soon = 100 * time.Millisecond
	for _, tt := range []struct {
		name  string
		state state
		read  func(s *state) // takes the read's slot
		later time.Duration
	}{
		{"the second is full", state{Exchanges: answeredAgo(4, time.Second)}, func(s *state) {
			s.take(bounds{perMinute: 60, perSecond: 5, headers: true, apart: soon}, rateNow, "read", "write")
		}, soon},
		{"the read asks for the window", state{}, func(s *state) {
			s.take(usualBounds, rateNow, "read", "write")
			s.learn(s.end("read", rateNow), 200, windowHeaders("1", 30*time.Second), rateNow)
			s.hold("write", usualBounds, rateNow)
		}, 0},
		{"the window has no more", state{}, func(s *state) {
			s.take(usualBounds, rateNow, "read", "write")
			s.learn(s.end("read", rateNow), 200, windowHeaders("0", 5*time.Second), rateNow)
			s.hold("write", usualBounds, rateNow)
		}, 5*time.Second + AfterReset},
	} {
		s := tt.state
		s.Headers, s.Remaining, s.Reset = headersSent, 2, ahead(30*time.Second)
		if len(s.Exchanges) == 0 { // Its window is to be asked for.
			s = state{}
		}
		tt.read(&s)
		if wait := s.take(usualBounds, rateNow, "other"); wait == 0 {
			t.Errorf("%s: another request takes the place", tt.name)
		}
		if wait := s.take(usualBounds, rateNow, "write"); wait != tt.later {
			t.Errorf("%s: the write waits %s, want %s", tt.name, wait, tt.later)
		}
		if wait := s.take(usualBounds, rateNow.Add(tt.later), "write"); wait != 0 {
			t.Errorf("%s: at its time the write waits %s more", tt.name, wait)
		}
	}
}

func TestState_learn(t *testing.T) {
	t.Parallel()
	reset := 30 * time.Second
	known := state{Headers: headersSent, Remaining: 10, Reset: ahead(reset)}
	// The asker sent and was answered while two others are under way, and a third died.
	asking := state{Asker: "me", AskedAt: ago(time.Second), Exchanges: []exchange{{ID: "me", Sent: ago(time.Second), Answered: ago(0)}, {Sent: ago(time.Second)}, {Sent: ago(time.Second)}, {Sent: ago(time.Minute)}}}
	for _, tt := range []struct {
		name      string
		state     state
		status    int
		header    http.Header
		headers   string
		remaining int
		reset     int64
		notBefore int64
	}{
		{"the asker's answer, less those under way", asking, 200, windowHeaders("50", reset), headersSent, 48, ahead(reset), 0},
		{"the asker's answer never gives less than none", asking, 200, windowHeaders("1", reset), headersSent, 0, ahead(reset), 0},
		{"an asker without headers", asking, 200, http.Header{}, headersAbsent, 0, 0, 0},
		{"an asker behind a failing gateway", with(asking, func(s *state) { s.Headers = headersSent }), 502, http.Header{}, headersSent, 0, 0, 0},
		{"an answer lowers", known, 200, windowHeaders("7", reset), headersSent, 7, ahead(reset), 0},
		{"an answer never raises", known, 200, windowHeaders("12", reset), headersSent, 10, ahead(reset), 0},
		{"a rounded reset is the same window", known, 200, windowHeaders("12", reset+time.Second), headersSent, 10, ahead(reset + time.Second), 0},
		{"a rounded reset never comes nearer", known, 200, windowHeaders("7", reset-time.Second), headersSent, 7, ahead(reset), 0},
		{"an earlier window says nothing", known, 200, windowHeaders("1", reset-time.Minute), headersSent, 10, ahead(reset), 0},
		{"a later window raises", known, 200, windowHeaders("59", reset+time.Minute), headersSent, 59, ahead(reset + time.Minute), 0},
		{"headers after all", state{Headers: headersAbsent}, 200, windowHeaders("59", reset), headersSent, 59, ahead(reset), 0},
		{"a reset far ahead is a clock that jumped", known, 200, windowHeaders("59", 3*time.Minute), headersAbsent, 10, 0, 0},
		{"a reset by a clock that is an hour ahead", state{}, 200, windowHeaders("59", time.Hour+reset, "Date", rateNow.Add(time.Hour).Format(http.TimeFormat)), headersSent, 59, ahead(reset), 0},
		{"the second was full", known, 429, windowHeaders("5", reset), headersSent, 5, ahead(reset), ahead(PerSecondPause)},
		{"the minute was full", known, 429, windowHeaders("0", reset), headersSent, 0, ahead(reset), 0},
		{"the second was full and the service does not count that", known, 429, windowHeaders("12", reset), headersSent, 11, ahead(reset), ahead(PerSecondPause)},
		{"a full window that should have turned", known, 429, windowHeaders("0", -time.Millisecond), headersSent, 10, ahead(reset), ahead(PerSecondPause)},
		{"an endpoint's own interval holds back no others", known, 429, windowHeaders("5", reset, "Retry-After", "60"), headersSent, 5, ahead(reset), 0},
		{"nonsense", state{}, 200, windowHeaders("many", reset), headersAbsent, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.state
			s.learn(s.drop("me"), tt.status, tt.header, rateNow)
			want := state{Headers: tt.headers, Remaining: tt.remaining, Reset: tt.reset, NotBefore: tt.notBefore, Exchanges: s.Exchanges}
			wantSame(t, want, s)
		})
	}
}

func with(s state, change func(*state)) state {
	change(&s)
	return s
}

func TestState_normalize(t *testing.T) {
	t.Parallel()
	s := state{
		Reset: ahead(3 * time.Minute), AskedAt: ahead(time.Hour), NotBefore: ahead(time.Hour),
		Exchanges: []exchange{
			{ID: "past", Sent: ago(63 * time.Second), Answered: ago(62 * time.Second)},
			{ID: "kept", Sent: ago(63 * time.Second), Answered: ago(59 * time.Second)},
			{ID: "died", Sent: ago(65 * time.Second)},
			{ID: "future", Sent: ahead(time.Hour), Answered: ahead(time.Hour)},
			{ID: "future and open", Sent: ahead(time.Hour)},
		},
	}
	if !s.normalize(rateNow) {
		t.Error("the jump was not reported")
	}
	want := state{
		AskedAt: ago(0), NotBefore: ahead(PerSecondPause),
		Exchanges: []exchange{
			{ID: "kept", Sent: ago(63 * time.Second), Answered: ago(59 * time.Second)},
			{ID: "died", Sent: ago(65 * time.Second)},
			{ID: "future", Sent: ago(0), Answered: ago(0)},
			{ID: "future and open", Sent: ago(0)},
		},
	}
	wantSame(t, want, s)
	if s.normalize(rateNow) {
		t.Error("a jump was reported twice")
	}
}

func TestState_merge(t *testing.T) {
	t.Parallel()
	s := state{
		Headers: headersSent, Remaining: 10, Reset: 100, NotBefore: 5,
		Exchanges: []exchange{{ID: "both", Sent: 1}, {ID: "file", Sent: 1}},
	}
	s.merge(state{NotBefore: 7, Exchanges: []exchange{{ID: "both", Sent: 1, Answered: 2}, {ID: "memory", Sent: 3}}})
	wantSame(t, state{
		Headers: headersSent, Remaining: 10, NotBefore: 7,
		Exchanges: []exchange{{ID: "both", Sent: 1, Answered: 2}, {ID: "file", Sent: 1}, {ID: "memory", Sent: 3}},
	}, s)
}

func wantSame(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
