package pace

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

var (
	rateNow     = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	usualBounds = bounds{perMinute: 60, perSecond: 5, headers: true}
)

// ago and ahead are times as the state has them.
func ago(d time.Duration) int64   { return rateNow.Add(-d).UnixMicro() }
func ahead(d time.Duration) int64 { return rateNow.Add(d).UnixMicro() }

func windowHeaders(remaining string, reset time.Duration) http.Header {
	h := http.Header{}
	h.Set("x-rate-limit-remaining", remaining)
	h.Set("x-rate-limit-reset", rateNow.Add(reset).Format(time.RFC3339Nano))
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

// in is the time in a state, 0 where the table has none.
func in(s *rows.Span) int64 {
	if s == nil {
		return 0
	}
	return ahead(time.Duration(*s))
}

// before is a state in a table: ten requests are left in a window of thirty seconds more, where nothing else is said.
type before struct {
	Unknown          bool
	Headers          string
	Left             *int
	Reset, NotBefore *rows.Span
	Asking           string
	AskedAgo         rows.Span
	Answered         int // exchanges, a millisecond apart
	AnsweredAgo      rows.Span
	OpenSince        *rows.Span // an exchange without an answer
}

func (b before) state() state {
	s := state{Headers: headersSent, Remaining: 10, Reset: ahead(30 * time.Second)}
	if b.Unknown {
		s = state{Headers: b.Headers, Asker: b.Asking}
	}
	if b.Left != nil {
		s.Remaining = *b.Left
	}
	if b.Reset != nil {
		s.Reset = in(b.Reset)
	}
	if b.Asking != "" {
		s.AskedAt = ago(time.Duration(b.AskedAgo))
	}
	s.NotBefore, s.Exchanges = in(b.NotBefore), answeredAgo(b.Answered, time.Duration(b.AnsweredAgo))
	if b.OpenSince != nil {
		s.Exchanges = append(s.Exchanges, exchange{Sent: ago(time.Duration(*b.OpenSince))})
	}
	return s
}

func TestState_take(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		before

		Name                 string
		Pair                 bool // a read and a write; else one request
		PerMinute, PerSecond *int // 60 and 5
		IgnoresHeaders       bool
		Apart, Wait          rows.Span
		Taken, Asker         string
		Remaining            int
	}](t, "state_take.json") {
		s, limits, ids := tt.state(), usualBounds, []string{"me"}
		if tt.PerMinute != nil {
			limits.perMinute, limits.perSecond = *tt.PerMinute, *tt.PerSecond
		}
		limits.apart, limits.headers = time.Duration(tt.Apart), !tt.IgnoresHeaders
		if tt.Pair {
			ids = []string{"read", "write"}
		}
		held := len(s.Exchanges)
		wait := s.take(limits, rateNow, ids...)
		var taken []string
		for _, e := range s.Exchanges[held:] {
			taken = append(taken, e.ID)
		}
		want := []any{time.Duration(tt.Wait), tt.Taken, tt.Remaining, tt.Asker}
		expect.Same(t, want, []any{wait, strings.Join(taken, " "), s.Remaining, s.Asker}, "%s", tt.Name)
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
	for _, tt := range rows.Read[[]struct {
		before

		Name              string
		IsAsker           bool // answered while two others are under way, and a third died
		Status            int
		Says              string // the rest, until
		Until, ClockAhead rows.Span
		RetryAfter        string
		Want              struct {
			Headers          string
			Remaining        int
			Reset, NotBefore *rows.Span
		}
	}](t, "state_learn.json") {
		s, header := tt.state(), http.Header{}
		if tt.IsAsker {
			second := ago(time.Second)
			s = state{Headers: tt.Headers, Asker: "me", AskedAt: second, Exchanges: []exchange{
				{ID: "me", Sent: second, Answered: ago(0)}, {Sent: second}, {Sent: second}, {Sent: ago(time.Minute)},
			}}
		}
		if tt.Says != "" {
			header = windowHeaders(tt.Says, time.Duration(tt.Until))
		}
		if time.Duration(tt.ClockAhead) > 0 {
			header.Set("Date", rateNow.Add(time.Duration(tt.ClockAhead)).Format(http.TimeFormat))
		}
		if tt.RetryAfter != "" {
			header.Set("Retry-After", tt.RetryAfter)
		}
		s.learn(s.drop("me"), tt.Status, header, rateNow)
		want := state{Headers: tt.Want.Headers, Remaining: tt.Want.Remaining, Exchanges: s.Exchanges}
		want.Reset, want.NotBefore = in(tt.Want.Reset), in(tt.Want.NotBefore)
		expect.Same(t, want, s, "%s", tt.Name)
	}
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
	expect.Same(t, want, s)
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
	expect.Same(t, state{
		Headers: headersSent, Remaining: 10, NotBefore: 7,
		Exchanges: []exchange{{ID: "both", Sent: 1, Answered: 2}, {ID: "file", Sent: 1}, {ID: "memory", Sent: 3}},
	}, s)
}
