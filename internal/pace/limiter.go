// Package pace keeps requests inside the service's limit. The service counts per key, and
// plan, apply and each aliased provider are processes of their own, perhaps on several
// machines: they share the state of the limit in a store.
package pace

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

const (
	// askPoll is how often a request looks again while another process asks.
	askPoll = 20 * time.Millisecond

	// lastLook is how often a request that lets others go first looks again.
	lastLook = 100 * time.Millisecond

	// lastWait is how long it lets others go first. Then it queues like the others.
	lastWait = 30 * time.Second

	// lastReserve is the part of a minute's requests, one in so many, that it leaves to requests that come after it.
	lastReserve = 6

	// pairPatience is how many times longer a pair waits than its slots may then be apart.
	pairPatience = 8

	// knownPerSecond is the limit per second, which no header has (specification: Limits).
	knownPerSecond = 5
)

// Limiter gives permits. Three bounds hold at once: perSecond requests in any 1.1 seconds and
// perMinute in any minute, both counted from the answer because arrivals jitter, and the rest
// of the window by the service's headers. Where that is unknown, one request asks for it.
type Limiter struct {
	limits bounds
	store  Store // nil for memory alone
	key    string
	memory memory

	gate   chan struct{} // lets one goroutine at a time look for a slot
	queued atomic.Int64  // how many requests wait that do not go last

	limited atomic.Bool  // a 429 came
	passed  atomic.Int64 // when another answer came last, in nanoseconds since 1970
}

// New returns a limiter of so many requests, of which 0 is no bound. It shares a key's budget
// with all that use the store. Without any bound it permits at once until its first 429, and
// from then on keeps the limit of the service for itself alone.
func New(perMinute, perSecond int, store Store, key string) *Limiter {
	l := &Limiter{
		limits: bounds{perMinute: perMinute, perSecond: perSecond, headers: perMinute > 0},
		gate:   make(chan struct{}, 1), memory: memory{turn: make(chan struct{}, 1)},
	}
	if !l.off() {
		l.store, l.key = store, key
	}
	return l
}

// bounds are the limits to keep. After a 429 they are the service's where the user
// left them open, or has too many a second.
func (l *Limiter) bounds() bounds {
	b := l.limits
	if l.limited.Load() {
		b.headers = true
		if b.perSecond == 0 || b.perSecond > knownPerSecond {
			b.perSecond = knownPerSecond
		}
	}
	return b
}

// off reports whether there is no limit to keep, and so nothing to count.
func (l *Limiter) off() bool { return l.bounds() == bounds{} }

// Progressed is when the limit last let a request through.
func (l *Limiter) Progressed() time.Time { return time.Unix(0, l.passed.Load()) }

// Permit is the right to make one exchange. Exactly one of its methods is called when the exchange is over.
type Permit struct {
	limiter *Limiter
	id      string
	write   string // of the read of a pair: the other's id
}

// Acquire waits for a slot until ctx ends. A request that goes last, such as a poll, lets others of this process go
// first for half a minute at most, and leaves a part of the minute to those that come after it.
func (l *Limiter) Acquire(ctx context.Context, last bool) (*Permit, error) {
	p := &Permit{limiter: l, id: rand.Text()}
	if l.off() {
		return p, ctx.Err()
	}
	reserving := l.bounds()
	reserving.reserve = reserving.perMinute / lastReserve
	for until := time.Now().Add(lastWait); last && time.Now().Before(until); {
		wait := lastLook
		if l.queued.Load() == 0 {
			var err error
			if wait, err = l.enter(ctx, p, reserving); err != nil {
				return nil, err
			}
			<-l.gate // It keeps no place while it waits.
		}
		if wait <= 0 {
			return p, nil
		}
		if err := poll.Pause(ctx, min(wait, time.Until(until))); err != nil {
			return nil, err
		}
	}
	return p, l.queue(ctx, p)
}

// AcquirePair waits for the slots of a read and of the write that sends back what was read, until both fit at once.
// Where they never do, as with a bound of one, the write's comes later: [Permit.Hold] waits for it.
func (l *Limiter) AcquirePair(ctx context.Context) (read, write *Permit, err error) {
	write = &Permit{limiter: l, id: rand.Text()}
	read = &Permit{limiter: l, id: rand.Text(), write: write.id}
	if l.off() {
		return read, write, ctx.Err()
	}
	return read, write, l.queue(ctx, read, write.id)
}

// queue takes the slots behind all that have asked before.
func (l *Limiter) queue(ctx context.Context, p *Permit, with ...string) error {
	l.queued.Add(1)
	defer l.queued.Add(-1)
	wait, err := l.enter(ctx, p, l.bounds(), with...)
	if err != nil {
		return err
	}
	defer func() { <-l.gate }()
	return p.await(ctx, wait, with...)
}

// Hold waits for the slot right before the exchange, beside the queue: it may have to come later than the read's, or
// may have expired during a long read.
func (p *Permit) Hold(ctx context.Context) error {
	if p.limiter.off() {
		return ctx.Err()
	}
	p.limiter.queued.Add(1)
	defer p.limiter.queued.Add(-1)
	wait, err := p.take(ctx, p.limiter.bounds())
	if err != nil {
		return err
	}
	return p.await(ctx, wait)
}

// await takes the slots after a wait, and after further ones where others are faster. The longer a pair waits, the
// later its second slot may come: so another process that takes each slot as it gets free cannot hold it up.
func (p *Permit) await(ctx context.Context, wait time.Duration, with ...string) error {
	told := poll.Wait{Why: "wait.limit"}
	for begun := time.Now(); wait > 0; {
		told.Pauses(ctx, wait, 0)
		if err := poll.Pause(ctx, wait); err != nil {
			return err
		}
		b := p.limiter.bounds()
		b.apart = time.Since(begun) / pairPatience
		var err error
		if wait, err = p.take(ctx, b, with...); err != nil {
			return err
		}
	}
	return nil
}

// enter tries to take slots behind the gate, which it holds where it has not failed.
func (l *Limiter) enter(ctx context.Context, p *Permit, b bounds, with ...string) (wait time.Duration, err error) {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if wait, err = p.take(ctx, b, with...); err != nil {
		<-l.gate
	}
	return wait, err
}

// take takes the slot, and those of a pair with it, and returns 0, or returns how long to wait. The store may be
// slow: a caller that has left meanwhile gets no slot.
func (p *Permit) take(ctx context.Context, b bounds, with ...string) (wait time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	p.limiter.update(func(s *state, now time.Time) bool {
		jumped := s.normalize(now)
		wait = s.take(b, now, append([]string{p.id}, with...)...)
		return jumped || wait <= 0
	})
	if err = ctx.Err(); err != nil && wait <= 0 {
		p.end(func(s *state, _ time.Time) { s.drop(append(with, p.id)...) })
	}
	return wait, err
}

// Answered frees the slot, counted from now, and takes in the headers of the limit. The slot of a pair's write is
// entered now at the latest: before those that have waited for the window to be known.
func (p *Permit) Answered(status int, header http.Header) {
	if status == http.StatusTooManyRequests {
		p.limiter.limited.Store(true)
	} else {
		p.limiter.passed.Store(time.Now().UnixNano())
	}
	p.end(func(s *state, now time.Time) {
		s.learn(s.end(p.id, now), status, header, now)
		if p.write != "" {
			s.hold(p.write, p.limiter.bounds(), now)
		}
	})
}

// Lost frees the slot of an exchange that ended without an answer. The service may have counted the request.
func (p *Permit) Lost() { p.end(func(s *state, now time.Time) { s.end(p.id, now) }) }

// Unused gives the slot back: nothing was sent. The service's window stays lowered, because
// it may be another one by now.
func (p *Permit) Unused() { p.end(func(s *state, _ time.Time) { s.drop(p.id) }) }

func (p *Permit) end(change func(*state, time.Time)) {
	if p.limiter.off() {
		return
	}
	p.limiter.update(func(s *state, now time.Time) bool {
		change(s, now)
		return true
	})
}
