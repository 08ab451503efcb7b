package poll

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
		rows.Case(t, name, func(t *testing.T) {
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

func TestFew_endsAfterTheLastPause(t *testing.T) {
	t.Parallel()
	clock := Clock{Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for name, test := range map[string]struct{ seenAt, want int }{"it never shows": {9, 3}, "it shows": {2, 2}} {
		rows.Case(t, name, func(t *testing.T) {
			looks := 0
			err := clock.Few(t.Context(), []time.Duration{0, 1, 1}, func() (bool, error) {
				looks++
				return looks == test.seenAt, nil
			})
			if err != nil || looks != test.want {
				t.Errorf("looked %d times and ended with %v, want %d times", looks, err, test.want)
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
