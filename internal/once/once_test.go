package once_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

func load(t *testing.T, j once.Journal, key journal.Key) *once.Turn {
	t.Helper()
	j.Clock, j.Patience = poll.RealTime, time.Minute
	turn, err := j.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// Several companies may sell under one name. What one of them has settled stands in no
// other's way and is not lost by it, whichever key each of them has by now.
func TestJournal_keepsTheCompaniesOfOneNameApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &journal.Memory{}
		key := journal.KeyOf("invoice", "order-1")
		as := func(company, apiKey string) *once.Turn {
			t.Helper()
			return load(t, once.Journal{Store: store, Key: apiKey, Company: func() string { return company }}, key)
		}
		want := func(when, company, apiKey, result string, inDoubt bool) *once.Turn {
			t.Helper()
			turn := as(company, apiKey)
			if turn.Known.Result != result || turn.InDoubt() != inDoubt {
				t.Errorf("%s: company %q knows %q, in doubt %t, want %q and %t",
					when, company, turn.Known.Result, turn.InDoubt(), result, inDoubt)
			}
			return turn
		}
		sends := func(turn *once.Turn) {
			t.Helper()
			if err := turn.Sending("hash", "").Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
		}

		a := want("at first", "A", "key-a", "", false)
		sends(a)
		want("while A sends", "B", "key-b", "", true)
		a.Settle(t.Context(), "a1")
		b := want("A has settled", "B", "key-b", "", false)
		sends(b)
		b.Settle(t.Context(), "b1")
		want("B has settled", "A", "key-a", "a1", false)
		want("B has settled", "B", "key-b", "b1", false)
		want("A has another key", "A", "key-2", "a1", false)
		want("C has sold nothing", "C", "key-c", "", false)

		c := as("C", "key-c")
		before := c.Known
		sends(c)
		c.Keep(t.Context(), before) // It was refused.
		want("C was refused", "A", "key-a", "a1", false)
		want("C was refused", "B", "key-b", "b1", false)
		want("C was refused", "C", "key-c", "", false)

		a = as("A", "key-a")
		sends(a)
		a.Settle(t.Context(), "a2")
		want("A has settled again", "A", "key-a", "a2", false)
		want("A has settled again", "B", "key-b", "b1", false)

		// Who does not know the company cannot tell whose a young record is.
		want("nobody knows who asks", "", "key-d", "", true)
		<-time.After(time.Minute)
		want("nobody knows who asks, later", "", "key-d", "", false)
	})
}

// What was certainly not processed is taken back as often as it is attempted, and leaves what was known before.
func TestTurn_takesBack(t *testing.T) {
	t.Parallel()
	j, key := once.Journal{Store: &journal.Memory{}}, journal.KeyOf("invoice", "sale")
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
