package pace

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// rateFile is where the files' store keeps what belongs to the key, without the suffix.
func rateFile(dir string) string { return filepath.Join(dir, "rate-"+testKey) }

// stored is the state that a store has.
func stored(t *testing.T, store Store) (state state) {
	t.Helper()
	if err := store.UpdateBudget(testKey, func(document []byte, _ time.Time) []byte {
		if err := json.Unmarshal(document, &state); err != nil {
			t.Error(err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return state
}

// lockRate locks what a key shares, as another process does, and returns how to end that.
func lockRate(t *testing.T, dir string) (unlock func()) {
	t.Helper()
	lock := flock.New(rateFile(dir) + ".lock")
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	return func() { _ = lock.Close() }
}

func TestStore_survivesABrokenFile(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(1000 * time.Hour).UnixMicro()
	future, err := json.Marshal(state{
		Version: stateVersion, Headers: headersSent, Reset: later, Asker: "x", AskedAt: later, NotBefore: later,
		Exchanges: []exchange{{ID: "a", Sent: later}, {ID: "b", Sent: later, Answered: later}},
	})
	must(t, err)
	of := func(content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { write(t, rateFile(dir)+".json", content) }
	}
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"truncated": of(`{"version":1,"exch`), "empty": of(``), "foreign": of(`{"version":7}`), "of another kind": of(`[]`),
		"from a far future":       of(string(future)),
		"a directory":             func(t *testing.T, dir string) { must(t, os.MkdirAll(rateFile(dir)+".json", 0o700)) },
		"its directory is a file": func(t *testing.T, dir string) { write(t, dir, `x`) },
		"its lock is held by a process that sleeps": func(t *testing.T, dir string) {
			must(t, os.MkdirAll(dir, 0o700))
			lockRate(t, dir)
		},
	} {
		bubble(t, name, func(t *testing.T) {
			service, dir := pacetest.Usual(), filepath.Join(t.TempDir(), "cache")
			l := usual(journal.OpenFiles(dir))
			spoil(t, dir)
			begun := time.Now()
			load(t, 70, service, l)
			if took, n := time.Since(begun), service.Refusals(); n != 0 || took > 100*time.Second {
				t.Errorf("%d refusals in %s", n, took)
			}
			if at := service.Arrivals()[0]; at.Sub(begun) < PerSecondPause {
				t.Errorf("the first request waited only %s", at.Sub(begun))
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}

func write(t *testing.T, name, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, []byte(content), 0o600))
}

func TestStore_returnsToTheFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, dir := pacetest.Usual(), t.TempDir()
		first, second := usual(journal.OpenFiles(dir)), usual(journal.OpenFiles(dir))
		load(t, 10, service, first)
		unlock := lockRate(t, dir)
		load(t, 20, service, first)
		unlock()
		<-time.After(10 * time.Second) // The store's rest.
		load(t, 10, service, first)
		if state := stored(t, journal.OpenFiles(dir)); len(state.Exchanges) != 40 || state.Remaining != 20 {
			t.Errorf("the file has %d exchanges, %d are left", len(state.Exchanges), state.Remaining)
		}
		load(t, 60, service, first, second)
		if n := service.Refusals(); n != 0 {
			t.Errorf("%d refusals", n)
		}
	})
}

// broken fails, and counts how often it was asked.
type broken struct{ asked int }

func (b *broken) UpdateBudget(string, func([]byte, time.Time) []byte) error {
	b.asked++
	return errors.New("it cannot be used")
}

func TestStore_leavesABrokenOneAloneForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &broken{}
		l := usual(store)
		for _, want := range []int{1, 1, 2, 2} {
			if want > store.asked {
				<-time.After(storeRest)
			}
			acquire(t, l).Unused()
			if store.asked != want {
				t.Errorf("the store was asked %d times, want %d", store.asked, want)
			}
		}
	})
}

// leaver is a store that takes so long that the caller leaves meanwhile.
type leaver struct {
	Store

	leave func()
}

func (l leaver) UpdateBudget(key string, change func([]byte, time.Time) []byte) error {
	l.leave()
	return l.Store.UpdateBudget(key, change)
}

func TestStore_callerWhoLeftMeanwhileHoldsNoSlot(t *testing.T) {
	t.Parallel()
	for _, last := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		files := journal.OpenFiles(t.TempDir())
		if _, err := usual(leaver{files, cancel}).Acquire(ctx, last); !errors.Is(err, context.Canceled) {
			t.Errorf("the permit was given: %v", err)
		}
		if state := stored(t, files); len(state.Exchanges) != 0 {
			t.Errorf("the slot is still held: %v", state.Exchanges)
		}
	}
}

// FuzzDocument reads what all processes of a machine share. Whatever it holds, the next
// request waits neither for ever nor a negative time.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"remaining":-5,"headers":"sent","reset":9223372036854775807,"notBefore":9223372036854775807}`))
	f.Add([]byte(`{"version":1,"asker":"a","askedAt":9223372036854775807,` +
		`"exchanges":[{"id":"a","sent":-9223372036854775808},{"id":"b","sent":9223372036854775807,"answered":1}]}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, raw []byte) {
		now := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)
		limits := bounds{perMinute: 60, perSecond: 5}
		state, _ := new(memory).read(raw, now)
		state.normalize(now)
		if wait := state.take(limits, now, "request"); wait < 0 || wait > LongestWait+AfterReset {
			t.Errorf("%q makes a request wait %s", raw, wait)
		}
	})
}
