package once_test

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func load(t *testing.T, j once.Journal, key journal.Key) *once.Turn {
	t.Helper()
	j.Clock, j.Patience = poll.RealTime, time.Minute
	turn, err := j.Load(t.Context(), key)
	expect.NoError(t, err)
	return turn
}

// What was certainly not processed is taken back as often as it is attempted, and leaves what was known before.
func TestTurn_takesBack(t *testing.T) {
	t.Parallel()
	j, key := once.Journal{Store: &oncetest.Memory{}}, journal.KeyOf("invoice", "sale")
	for _, known := range []string{"", "i-1"} {
		turn := load(t, j, key)
		if known != "" {
			turn.Settle(t.Context(), known)
		}
		before := turn.Known
		swap := turn.Sending("hash", "")
		for range 2 {
			if err := swap.Begin(t.Context()); err != nil || load(t, j, key).Known.Phase != journal.Sending {
				t.Fatalf("%v, phase %q", err, load(t, j, key).Known.Phase)
			}
			swap.TakeBack(t.Context())
			if got := load(t, j, key).Known; got.Phase != before.Phase || got.Result != known || got.Note != before.Note {
				t.Errorf("got %+v, want %+v", got, before)
			}
		}
	}
}
