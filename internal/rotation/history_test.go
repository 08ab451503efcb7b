package rotation

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

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
	allowed   int
	failed    *problem
	key       string // of the last rotation
	last      int    // its number among all
}

func (w *account) Serve(_ *oncetest.Run, r *http.Request, body []byte) (int, string) {
	if r.Method != http.MethodGet {
		of := &w.of[strings.Count(string(body), `{"windowHours":1}`)]
		if key := r.Header.Get("X-Api-Key"); of.rotations >= of.allowed && of.key != key && of.last < len(w.rotatedAt) {
			of.allowed++ // Neither the key nor the secret shows that it was this account's.
		}
		of.rotations++
		w.rotatedAt = append(w.rotatedAt, time.Now())
		of.key, of.last = r.Header.Get("X-Api-Key"), len(w.rotatedAt)
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
	client, journal := r.Begin(&w.Store)
	journal.Key = client.Fingerprint()
	rotates := &rotation{client: client, once: journal, creation: fmt.Sprint(hours), windowHours: &hours, wantSecret: true}
	if of.state != "" {
		rotates.confirm(r.Context, of.state)
		of.state = ""
		of.allowed++
		w.uncertain = !r.Saves() || w.uncertain
		return
	}
	done, failed := rotates.perform(r.Context)
	if of.failed = failed; r.Saves() && failed == nil {
		of.state = done.id
		if !slices.Contains(of.ids, done.id) {
			of.ids = append(of.ids, done.id)
		}
	}
}

func (w *account) Wrong() error {
	for _, of := range w.of {
		if of.rotations > of.allowed || len(of.ids) > of.rotations {
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
		asks := of.failed != nil && of.failed.kind == otherKey // Then a person has to look.
		if !asks && (of.state == "" || !w.uncertain && of.rotations != of.allowed) {
			return fmt.Errorf("at the end: %+v", w.of)
		}
	}
	return nil
}

func opens(lag time.Duration, bare bool) func(*oncetest.World) oncetest.Model {
	return func(w *oncetest.World) oncetest.Model {
		return &account{World: w, lag: lag, bare: bare, of: [2]wanted{{allowed: 1}, {allowed: 1}}}
	}
}

// There is one rotation for each that is wanted.
func TestModel_rotatesOnce(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"0", "1"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		return opens(oncetest.Seconds(0, 0, 3, 5).Draw(t, "lag"), rapid.Bool().Draw(t, "bare answers"))
	})
}

// A history that TestModel found a defect with.
func TestModel_whatCouldNotBeClaimedIsNotRotatedAgain(t *testing.T) {
	t.Parallel()
	fate := oncetest.Fate{
		Before:    []oncetest.Happening{4: oncetest.Another, 5: oncetest.Unstored},
		Meanwhile: []oncetest.Happening{oncetest.Another},
	}
	if wrong := oncetest.Replay(t, opens(0, false), []oncetest.Step{{Act: "0", Fate: fate}}); wrong != nil {
		t.Error(wrong)
	}
}
