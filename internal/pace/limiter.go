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
	// ratePoll is how often a request looks again when what it waits for has no
	// known time: the answer to another process's request.
	ratePoll = 20 * time.Millisecond

	// lastLook is how often a request that lets others go first looks again.
	lastLook = 100 * time.Millisecond

	// lastWait is how long it lets others go first. Then it queues like any.
	lastWait = 30 * time.Second

	// lastReserve is the part of a minute's requests, one in so many, that it
	// leaves for those that come after it.
	lastReserve = 6

	// rateMinute is the window of the limit per minute. That of the limit per second
	// is PerSecondPause.
	rateMinute = time.Minute

	// knownPerSecond is the limit per second (specification: Limits), of which no
	// header tells.
	knownPerSecond = 5

	// sameReset is how far apart two times of a window's end may be, because
	// services round them.
	sameReset = rateMinute / 40
)

// Limiter keeps this machine inside the service's limit. The service counts per
// key, and plan, apply and each aliased provider are processes of their own, so
// what is known of the limit lives in a store that they share.
//
// Three bounds hold at once. At most perSecond requests in any 1.1 seconds, and at
// most perMinute in any minute, both counted from the answer, so that the jitter
// of arrivals cannot break them. And what the service's headers leave for its
// current window: when that is not known, exactly one request asks and the others
// wait for its answer.
//
// A client without pacing sends at once until it meets its first 429. From then on
// it keeps the limit that the service has shown to have, for this process alone.
//
// Polls go last: they wait while others of this process are waiting, for half a
// minute at most, and leave a part of the minute to those that come after them.
// A write never stands behind the polls of what was written before it.
type Limiter struct {
	limits rateLimits
	rate   *sharedRate

	// gate lets one goroutine at a time look for a slot. The others queue on a
	// channel instead of on the store.
	gate chan struct{}
	// queued is how many requests other than polls wait.
	queued atomic.Int64

	// limited is whether a 429 came, passed when anything else came last, in
	// nanoseconds since 1970.
	limited atomic.Bool
	passed  atomic.Int64
}

func New(perMinute, perSecond int, store Store, key string) *Limiter {
	p := &Limiter{
		limits: rateLimits{perMinute: perMinute, perSecond: perSecond, headers: perMinute > 0},
		gate:   make(chan struct{}, 1),
	}
	if perMinute > 0 || perSecond > 0 {
		p.rate = &sharedRate{store: store, key: key, memory: processRate(key)}
	} else {
		p.rate = &sharedRate{memory: newRateMemory()}
	}
	return p
}

// bounds are the limits to keep. After a 429 they are the service's where the user
// left them open, or has too many a second.
func (p *Limiter) bounds() rateLimits {
	l := p.limits
	if p.limited.Load() {
		l.headers = true
		if l.perSecond == 0 || l.perSecond > knownPerSecond {
			l.perSecond = knownPerSecond
		}
	}
	return l
}

// off is whether there is nothing to keep, and so nothing to count.
func (p *Limiter) off() bool { return p.bounds() == rateLimits{} }

// Progressed is when the limit last let a request through.
func (p *Limiter) Progressed() time.Time { return time.Unix(0, p.passed.Load()) }

// Permit is the right to make one exchange. Exactly one of its methods is called
// when the exchange is over.
type Permit struct {
	pace *Limiter
	id   string
}

// Acquire waits for a slot. The wait ends with ctx.
func (p *Limiter) Acquire(ctx context.Context) (*Permit, error) {
	if p.off() {
		return &Permit{pace: p, id: rand.Text()}, ctx.Err()
	}
	p.queued.Add(1)
	defer p.queued.Add(-1)
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	defer p.leave()
	id := rand.Text()
	for {
		wait := p.try(id, p.bounds())
		if wait <= 0 {
			return &Permit{pace: p, id: id}, nil
		}
		if err := poll.Pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// AcquireLast is Acquire for a request that lets others go first. It keeps no
// place at the gate while it waits.
func (p *Limiter) AcquireLast(ctx context.Context) (*Permit, error) {
	if p.off() {
		return p.Acquire(ctx)
	}
	limits := p.bounds()
	limits.reserve = limits.perMinute / lastReserve
	id := rand.Text()
	for until := time.Now().Add(lastWait); time.Now().Before(until); {
		wait := lastLook
		if p.queued.Load() == 0 {
			if err := p.enter(ctx); err != nil {
				return nil, err
			}
			wait = p.try(id, limits)
			p.leave()
		}
		if wait <= 0 {
			return &Permit{pace: p, id: id}, nil
		}
		if err := poll.Pause(ctx, min(wait, time.Until(until))); err != nil {
			return nil, err
		}
	}
	return p.Acquire(ctx)
}

func (p *Limiter) enter(ctx context.Context) error {
	select {
	case p.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		p.leave()
		return err
	}
	return nil
}

func (p *Limiter) leave() { <-p.gate }

// try takes a slot and returns 0, or returns how long to wait for one.
func (p *Limiter) try(id string, limits rateLimits) (wait time.Duration) {
	p.rate.update(func(s *rateState, now time.Time) bool {
		jumped := s.normalize(now)
		wait = s.take(id, limits, now)
		return jumped || wait <= 0
	})
	return wait
}

// Answered frees the slot, counted from now, and takes in what the service says
// of its window.
func (p *Permit) Answered(status int, header http.Header) {
	if status == http.StatusTooManyRequests {
		p.pace.limited.Store(true)
	} else {
		p.pace.passed.Store(time.Now().UnixNano())
	}
	p.end(func(s *rateState, now time.Time) {
		s.close(p.id, now)
		s.learn(p.id, status, header, now)
	})
}

// Lost frees the slot of an exchange that ended without an answer. The request
// may have been counted all the same.
func (p *Permit) Lost() {
	p.end(func(s *rateState, now time.Time) {
		s.close(p.id, now)
		s.stopAsking(p.id)
	})
}

// Unused gives the slot back: nothing was sent.
func (p *Permit) Unused() {
	p.end(func(s *rateState, _ time.Time) { s.giveBack(p.id) })
}

func (p *Permit) end(change func(*rateState, time.Time)) {
	if p.pace.off() {
		return
	}
	p.pace.rate.update(func(s *rateState, now time.Time) bool {
		change(s, now)
		return true
	})
}
