package rotation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// account is one account with two rotations in a world.
type account struct {
	*oncetest.World

	lag  time.Duration // how long the secret is shown as it was
	bare bool          // the answer does not tell the secret

	rotatedAt []time.Time // each rotation at the service
	of        [2]wanted   // by the hours of its window
	uncertain bool        // a run did not record what it did: one that is wanted may be missing
}

// wanted is one rotation in a configuration.
type wanted struct {
	state     string   // the id that a state holds; "" for none
	ids       []string // all that a state ever held
	rotations int      // at the service
	least     int
	most      int
	running   int // how many runs rotate it now
}

func (w *account) Serve(_ *oncetest.Run, r *http.Request, body []byte) (int, string) {
	if r.Method != http.MethodGet {
		w.of[strings.Count(string(body), `{"windowHours":1}`)].rotations++
		w.rotatedAt = append(w.rotatedAt, time.Now())
		if w.bare {
			return 200, `{}`
		}
		return 200, fmt.Sprintf(`{"secret":"whsec_%d"}`, len(w.rotatedAt))
	}
	shown := 0
	for _, at := range w.rotatedAt {
		if !time.Now().Before(at.Add(w.lag)) {
			shown++
		}
	}
	return 200, fmt.Sprintf(`{"secret":"whsec_%d"}`, shown)
}

// forgetful is the store of the account. When the other rotation is sent, one that no state has is forgotten, and one
// that a run is about to take over.
type forgetful struct {
	journal.Store

	account *account
}

func (f forgetful) Swap(ctx context.Context, key journal.Key, from journal.Version, to journal.Record) (journal.Version, error) {
	f.account.Locked(func() {
		for hours := range f.account.of {
			of, isOther := &f.account.of[hours], journal.NoteOf[rotationNote](to).Creation != fmt.Sprint(hours)
			if to.Phase == journal.Sending && isOther && (of.state == "" || of.running > 0) {
				of.most = max(of.most, of.rotations+1)
			}
		}
	})
	return f.Store.Swap(ctx, key, from, to)
}

// Run rotates, or refreshes what a state holds, which is lost then. Beside another run it
// is a machine that has the same state or rotates something else.
func (w *account) Run(r *oncetest.Run, act string) {
	hours := int64(strings.Index("01", act))
	if r.Beside {
		hours = int64(r.Number) % 2
	}
	of := &w.of[hours]
	if r.Beside && of.state != "" {
		return
	}
	defer func() { w.uncertain = w.uncertain || !r.Recorded() }()
	r.Key = 0 // Another key has another record.
	client, journal := r.Begin(forgetful{&w.Store, w})
	rotates := &rotation{client: client, once: journal, creation: fmt.Sprint(hours), windowHours: &hours, wantSecret: true}
	if of.state != "" {
		rotates.confirm(r.Context, of.state)
		of.state = ""
		of.least, of.most = of.least+1, of.most+1
		w.uncertain = !r.Saves() || w.uncertain
		return
	}
	of.running++
	done, _ := rotates.perform(r.Context)
	of.running--
	if r.Saves() && done != nil {
		of.state = done.id
		if !slices.Contains(of.ids, done.id) {
			of.ids = append(of.ids, done.id)
		}
	}
}

func (w *account) Wrong() error {
	for _, of := range w.of {
		if of.rotations > of.most || len(of.ids) > of.rotations {
			return fmt.Errorf("%+v", w.of)
		}
	}
	return nil
}

func (w *account) Settle() error {
	for hours := range w.of {
		of := &w.of[hours]
		if of.state == "" {
			w.World.Run(oncetest.Fate{}, fmt.Sprint(hours))
		}
		if of.state == "" || !w.uncertain && of.rotations < of.least {
			return fmt.Errorf("at the end: %+v", w.of)
		}
	}
	return nil
}

func opens(lag time.Duration, bare bool) func(*oncetest.World) oncetest.Model {
	return func(w *oncetest.World) oncetest.Model {
		return &account{World: w, lag: lag, bare: bare, of: [2]wanted{{least: 1, most: 1}, {least: 1, most: 1}}}
	}
}

// There is one rotation for each that is wanted.
func TestModel_rotatesOnce(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"0", "1"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		return opens(oncetest.Seconds(0, 0, 3, 5).Draw(t, "lag"), rapid.Bool().Draw(t, "bare answers"))
	})
}

// A history that TestModel found a defect with: another run had rotated since the record was loaded.
func TestModel_takesOverNothingThatItCannotRecord(t *testing.T) {
	t.Parallel()
	history := []oncetest.Step{
		{Act: "1", After: time.Minute, Fate: oncetest.Fate{Outages: []oncetest.Outage{oncetest.LostBefore}}},
		{Act: "1", Fate: oncetest.Fate{
			Before:  []oncetest.Happening{1: oncetest.Another, 2: oncetest.Unstored},
			Outages: []oncetest.Outage{oncetest.Refused},
		}},
	}
	if wrong := oncetest.Replay(t, opens(0, true), history); wrong != nil {
		t.Error(wrong)
	}
}
