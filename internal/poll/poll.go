// Package poll waits between looks at something that changes by itself.
package poll

import (
	"context"
	"time"
)

// Clock is the time that waiting goes by. Tests have one that moves only while somebody waits.
type Clock struct {
	Now   func() time.Time
	Pause func(ctx context.Context, d time.Duration) error
}

// RealTime is the clock outside of tests.
var RealTime = Clock{Now: time.Now, Pause: Pause}

// Until pauses before each look, until one is the last or fails, or until ctx
// ends during a pause. The last pause repeats; a first pause of 0 looks at once.
func (c Clock) Until(ctx context.Context, pauses []time.Duration, look func() (last bool, err error)) error {
	for n := 0; ; n++ {
		if err := c.Pause(ctx, pauses[min(n, len(pauses)-1)]); err != nil {
			return err
		}
		if last, err := look(); last || err != nil {
			return err
		}
	}
}

// Few is Until for something that shows soon or never: the look after the last pause is the last.
func (c Clock) Few(ctx context.Context, pauses []time.Duration, look func() (last bool, err error)) error {
	looks := 0
	return c.Until(ctx, pauses, func() (bool, error) {
		looks++
		last, err := look()
		return last || looks == len(pauses), err
	})
}

// Pause waits, or returns the context's error when that ends first.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// LongWait is from when on a person wants to know of a wait.
const LongWait = 10 * time.Second

type tellKey struct{}

// Telling is a context whose long waits are told: why, and about how long they last.
func Telling(ctx context.Context, tell func(ctx context.Context, why string, d time.Duration)) context.Context {
	return context.WithValue(ctx, tellKey{}, tell)
}

// Wait is one wait of several pauses, which is told once.
type Wait struct {
	Why    string // a key of the catalog
	waited time.Duration
	isTold bool
}

// Pauses tells of the wait if it is long with the pause that comes, or with all of the rest.
func (w *Wait) Pauses(ctx context.Context, next, rest time.Duration) {
	w.waited += next
	tell, isHeard := ctx.Value(tellKey{}).(func(context.Context, string, time.Duration))
	if all := w.waited + max(0, rest-next); isHeard && !w.isTold && all >= LongWait {
		w.isTold = true
		tell(ctx, w.Why, max(next, rest))
	}
}
