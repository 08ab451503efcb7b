package poll

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestUntil_pausesBeforeEachLook(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		end   func(looks int, interrupt func()) (bool, error) // of each look
		waits []time.Duration
		want  error
	}{
		"the first look is the last": {
			end:   func(int, func()) (bool, error) { return true, nil },
			waits: []time.Duration{0},
		},
		"the last pause repeats": {
			end:   func(looks int, _ func()) (bool, error) { return looks == 4, nil },
			waits: []time.Duration{0, time.Second, 2 * time.Second, 2 * time.Second},
		},
		"a look that fails ends it": {
			end:   func(looks int, _ func()) (bool, error) { return false, map[bool]error{true: broken}[looks == 2] },
			waits: []time.Duration{0, time.Second}, want: broken,
		},
		"an interrupt ends the next pause": {
			end: func(_ int, interrupt func()) (bool, error) {
				interrupt()
				return false, nil
			},
			waits: []time.Duration{0, time.Second}, want: context.Canceled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			var waits []time.Duration
			clock := Clock{Pause: func(ctx context.Context, d time.Duration) error {
				waits = append(waits, d)
				return ctx.Err()
			}}
			looks := 0
			err := clock.Until(ctx, []time.Duration{0, time.Second, 2 * time.Second}, func() (bool, error) {
				looks++
				return test.end(looks, interrupt)
			})
			if !errors.Is(err, test.want) || !slices.Equal(waits, test.waits) {
				t.Errorf("waited %v and ended with %v; want %v and %v", waits, err, test.waits, test.want)
			}
		})
	}
}

func TestPause_endsWithItsContext(t *testing.T) {
	t.Parallel()
	if err := Pause(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, d := range []time.Duration{0, time.Hour} {
		if err := Pause(ctx, d); !errors.Is(err, context.Canceled) {
			t.Errorf("a pause of %s ends with %v", d, err)
		}
	}
}
