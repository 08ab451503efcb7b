package sandbox

import (
	"slices"
	"sync"
	"time"
)

// A Clock tells the sandbox the time and fires its timers.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once d has passed.
	AfterFunc(d time.Duration, f func())
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) { time.AfterFunc(d, f) }

// ManualClock stands still until Advance moves it.
type ManualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*manualTimer
}

type manualTimer struct {
	at time.Time
	f  func()
}

// NewManualClock returns a clock that shows now.
func NewManualClock(now time.Time) *ManualClock {
	return &ManualClock{now: now}
}

// Now returns the time the clock was last moved to.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc calls f from the Advance that passes d from now.
func (c *ManualClock) AfterFunc(d time.Duration, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = append(c.timers, &manualTimer{at: c.now.Add(d), f: f})
}

// Advance moves the clock by d and runs, in their order and each at its own time, the timers that fall due, those
// included that the fired ones set. It returns when they have run.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	target := c.now.Add(d)
	for len(c.timers) > 0 {
		// Of equal times, the timer that was set first runs first.
		next := slices.MinFunc(c.timers, func(a, b *manualTimer) int { return a.at.Compare(b.at) })
		if next.at.After(target) {
			break
		}
		c.timers = slices.DeleteFunc(c.timers, func(other *manualTimer) bool { return other == next })
		c.now = later(c.now, next.at)
		// A timer sets others and reads the time, so it runs without the clock's lock.
		c.mu.Unlock()
		next.f()
		c.mu.Lock()
	}
	// A timer may itself have advanced the clock beyond the target.
	c.now = later(c.now, target)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
