package einvoice

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// ratePoll is how often a request looks again when what it waits for has no
	// known time: the answer to another process's request.
	ratePoll = 20 * time.Millisecond

	// rateMinute is the window of the limit per minute.
	rateMinute = time.Minute
)

// pacer keeps this machine inside the service's limit. The service counts per
// key, and plan, apply and each aliased provider are processes of their own, so
// what is known of the limit lives in a file that they share.
//
// Three bounds hold at once. At most perSecond requests in any 1.1 seconds, and at
// most perMinute in any minute, both counted from the answer, so that the jitter
// of arrivals cannot break them. And what the service's headers leave for its
// current window: when that is not known, exactly one request asks and the others
// wait for its answer.
type pacer struct {
	limits rateLimits
	store  *rateStore

	// gate lets one goroutine at a time look for a slot. The others queue on a
	// channel instead of on the file.
	gate   chan struct{}
	prefix string
	count  atomic.Uint64
}

func newPacer(perMinute, perSecond int, dir, fingerprint string) *pacer {
	var random [8]byte
	_, _ = rand.Read(random[:]) // It never fails, and ends the program where it would.
	return &pacer{
		limits: rateLimits{perMinute: perMinute, perSecond: perSecond, minute: rateMinute, second: perSecondPause},
		store:  newRateStore(dir, fingerprint, processRates),
		gate:   make(chan struct{}, 1),
		prefix: hex.EncodeToString(random[:]) + "-",
	}
}

// permit is the right to make one exchange. Exactly one of its methods is called
// when the exchange is over. A nil permit is that of a client without pacing.
type permit struct {
	pace *pacer
	id   string
}

// acquire waits for a slot. The wait ends with ctx.
func (p *pacer) acquire(ctx context.Context) (*permit, error) {
	select {
	case p.gate <- struct{}{}:
		defer func() { <-p.gate }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	id := p.prefix + strconv.FormatUint(p.count.Add(1), 36)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var wait time.Duration
		p.store.update(func(s *rateState, now time.Time) bool {
			jumped := s.settle(p.limits, now)
			wait = s.take(id, p.limits, now)
			return jumped || wait <= 0
		})
		if wait <= 0 {
			return &permit{pace: p, id: id}, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// answered frees the slot, counted from now, and takes in what the service says
// of its window.
func (p *permit) answered(status int, header http.Header) {
	if p == nil {
		return
	}
	p.pace.store.update(func(s *rateState, now time.Time) bool {
		s.close(p.id, now)
		s.learn(p.id, status, header, p.pace.limits, now)
		return true
	})
}

// lost frees the slot of an exchange that ended without an answer. The request
// may have been counted all the same.
func (p *permit) lost() {
	if p == nil {
		return
	}
	p.pace.store.update(func(s *rateState, now time.Time) bool {
		s.close(p.id, now)
		s.stopAsking(p.id)
		return true
	})
}

// unused gives the slot back: nothing was sent.
func (p *permit) unused() {
	if p == nil {
		return
	}
	p.pace.store.update(func(s *rateState, _ time.Time) bool {
		s.giveBack(p.id)
		return true
	})
}
