package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// shop is an account whose customers are created from two workspaces with one store. Each
// has two blocks that are alike, and like those of the other one.
type shop struct {
	*oncetest.World

	lag    time.Duration // how long a new customer is missing in the list
	named  bool          // see Creation
	sound  bool          // the store always answers
	alias  bool          // the second block has a provider configuration of its own, and so a later process
	madeAt []time.Time
	madeBy map[string]string // the workspace of each customer, by id
	places map[int]string    // the workspace of each run
	listed map[int]bool      // the runs that have read the list

	place   string                 // of the run that goes on, and not beside another one
	states  map[string]*[2]inState // by workspace
	allowed int
	excused bool  // somebody could not know better
	wrong   error // with what a run has done
	failed  error // what the last run ended with
}

// inState is what a state has of one block.
type inState struct {
	id      string // "" for nothing
	private privateMap
}

func (w *shop) Serve(run *oncetest.Run, r *http.Request, _ []byte) (int, string) {
	if r.Method == http.MethodPost {
		w.madeBy[fmt.Sprint("c-", len(w.madeAt))] = w.places[run.Number]
		w.madeAt = append(w.madeAt, time.Now())
		return 201, shown(len(w.madeAt) - 1)
	}
	var listed []json.RawMessage
	for n, at := range w.madeAt {
		if strings.HasSuffix(r.URL.Path, fmt.Sprint("/c-", n)) {
			return 200, shown(n)
		}
		if time.Since(at) >= w.lag {
			listed = append(listed, json.RawMessage(shown(n)))
		}
	}
	if !strings.HasSuffix(r.URL.Path, "/customers") {
		return 404, `{}`
	}
	w.listed[run.Number] = true
	items, _ := json.Marshal(map[string]any{"items": listed, "totalCount": len(listed), "hasNext": false})
	return 200, string(items)
}

func shown(n int) string { return fmt.Sprintf(`{"id":"c-%d","name":"Padaria"}`, n) }

// Run applies in a workspace, or refreshes it and loses its state then. Beside another run
// it applies in the other workspace.
func (w *shop) Run(r *oncetest.Run, act string) {
	if r.Beside {
		act = map[string]string{"a": "apply b", "b": "apply a"}[w.place]
	} else {
		w.place = act[len(act)-1:]
	}
	if w.sound {
		r.Before = slices.DeleteFunc(slices.Clone(r.Before), oncetest.Happening.OfStore)
	}
	// A 409 to a creation says that there is such an object: a person imports it.
	r.Outages = slices.DeleteFunc(slices.Clone(r.Outages), func(o oncetest.Outage) bool { return o == oncetest.Conflicts })
	client, once := r.Begin(&w.Store)
	s := &Session{
		Client: client, Store: once.Store, RequestTimeout: oncetest.Patience / 2,
		of: &process{clock: r.Clock, began: r.Clock.Now(), run: once.Run, place: act[len(act)-1:]},
	}
	w.places[r.Number] = s.of.place
	defer func() { w.excused = w.excused || !r.Recorded() }() // A second customer costs no tax.
	state := w.states[s.of.place]
	w.failed = nil
	for n := range state { // It begins with a plan, which refreshes.
		private := maps.Clone(state[n].private)
		if s.ConfirmCreation(r.Context, stateOf(state[n].id), private); !r.Saves() {
			w.excused = w.excused || strings.HasPrefix(act, "lose ")
			return
		}
		state[n].private = private
	}
	for n := range state {
		if n == 1 && w.alias {
			s.of = &process{clock: r.Clock, began: r.Clock.Now(), run: once.Run, place: s.of.place}
		}
		switch {
		case state[n].id == "":
			if !w.create(r, s, n) {
				return
			}
		case strings.HasPrefix(act, "lose "):
			state[n] = inState{}
			w.allowed++
		}
	}
}

var customers = &Kind[einvoice.Customer]{
	Kind: einvoice.KindCustomer, ID: func(held *einvoice.Customer) einvoice.Text { return held.ID },
	Get: (*einvoice.Client).Customer, List: (*einvoice.Client).Customers,
}

// create creates the customer of a block, and reports whether the run goes on.
func (w *shop) create(r *oncetest.Run, s *Session, n int) bool {
	private := privateMap{}
	made, diags := Create(r.Context, s, customers, Creation[einvoice.Customer]{
		What: "Padaria", Fields: "Padaria", Named: w.named,
		Send: func(ctx context.Context, client *einvoice.Client, guard einvoice.Guard) (*einvoice.Customer, error) {
			return client.CreateCustomer(ctx, einvoice.Customer{Name: "Padaria"}, nil, guard)
		},
		Match: func(*einvoice.Customer) bool { return true },
	}, private)
	if made.Object != nil { // Nothing tells two apart in a list that are alike, whether this run gets to its end or not.
		w.excused = w.excused || made.Found && w.listed[r.Number] && w.madeBy[string(made.Object.ID)] != s.of.place
	}
	switch {
	case !r.Saves():
		return false
	case made.Err != nil || diags.HasError():
		w.failed = fmt.Errorf("%w %v", made.Err, diags)
		w.excused = w.excused || diags.HasError() && strings.HasPrefix(diags[0].Summary(), "Several objects")
		return true
	}
	id := string(made.Object.ID)
	for place, state := range w.states {
		if slices.ContainsFunc(state[:], func(s inState) bool { return s.id == id }) {
			w.wrong = fmt.Errorf("%s has %s, and so has %s: %v", place, id, s.of.place, diags)
		}
	}
	w.states[s.of.place][n] = inState{id, private}
	return true
}

func (w *shop) Wrong() error {
	if w.excused {
		return nil
	}
	if len(w.madeAt) > w.allowed {
		return fmt.Errorf("%d customers, and %d may be", len(w.madeAt), w.allowed)
	}
	return w.wrong
}

func (w *shop) Settle() error {
	for _, place := range []string{"a", "b"} {
		w.World.Run(oncetest.Fate{}, "apply "+place)
		state := w.states[place]
		if !w.excused && (state[0].id == "" || state[1].id == "") {
			return fmt.Errorf("no customer at the end: %w", w.failed)
		}
	}
	if !w.excused && len(w.madeAt) != w.allowed {
		return fmt.Errorf("%d customers at the end, and %d are wanted", len(w.madeAt), w.allowed)
	}
	return nil
}

// opens returns what begins a world with nothing in it.
func opens(lag time.Duration, named, sound, alias bool) func(*oncetest.World) oncetest.Model {
	return func(w *oncetest.World) oncetest.Model {
		return &shop{
			World: w, lag: lag, named: named, sound: sound, alias: alias, allowed: 4,
			states: map[string]*[2]inState{"a": {}, "b": {}}, madeBy: map[string]string{}, places: map[int]string{}, listed: map[int]bool{},
		}
	}
}

// One customer is created for each block.
func TestModel_createsOnce(t *testing.T) {
	t.Parallel()
	acts := []string{"apply a", "apply a", "apply a", "apply b", "lose a"}
	oncetest.Play(t, acts, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		lag, named := oncetest.Seconds(0, 0, 3, 10).Draw(t, "lag"), rapid.Bool().Draw(t, "named")
		return opens(lag, named, rapid.IntRange(0, 3).Draw(t, "sound") > 0, rapid.Bool().Draw(t, "alias"))
	})
}

// Histories that TestModel found a defect with.
func TestModel_onceFound(t *testing.T) {
	t.Parallel()
	for name, history := range map[string][]oncetest.Step{
		"what one of two made was taken for the other's, which does not show yet": {
			{Act: "apply a", Fate: oncetest.Fate{
				Outages: []oncetest.Outage{oncetest.LostAfter, oncetest.Limited, oncetest.LostAfter}, Wait: 24 * time.Second,
			}},
			{Act: "apply a"},
		},
		"the same, and the key replaced": {
			{Act: "apply a", Fate: oncetest.Fate{
				Outages: []oncetest.Outage{oncetest.LostAfter, oncetest.Limited, oncetest.LostAfter}, Wait: 24 * time.Second,
			}},
			{Act: "apply a", Fate: oncetest.Fate{Key: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if wrong := oncetest.Replay(t, opens(10*time.Second, false, true, false), history); wrong != nil {
				t.Error(wrong)
			}
		})
	}
}
