package journal

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// keeper is a place of records, and what several runners open it by.
type keeper struct {
	runners []Store
	remove  func(Key) // as a person does, or time
	kept    bool      // what a swap returns has no error
}

func filesKeeper(t *testing.T, dir string) keeper {
	f := OpenFiles(dir)
	return keeper{[]Store{f, OpenFiles(dir)}, func(key Key) { must(t, os.RemoveAll(f.Where(key))) }, true}
}

func postgresKeeper(t *testing.T, first, second string) keeper {
	return keeper{[]Store{machine(t, first), machine(t, second)}, func(key Key) {
		fixture.Execute(t, first, "DELETE FROM "+journalTable+" WHERE hash = '"+key.hash+"'")
	}, true}
}

func TestFiles_isAStore(t *testing.T) { t.Parallel(); checkStore(t, filesKeeper(t, t.TempDir())) }

func TestFiles_isAStoreInMemory(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", blocked(t)} {
		k := filesKeeper(t, dir)
		k.kept, k.remove = false, nil
		checkStore(t, k)
	}
}

var sales atomic.Int64

func newSale() Key { return KeyOf("invoice", fmt.Sprint(sales.Add(1))) }

// checkStore compares a store with a record and its version, whatever several runners do.
func checkStore(t *testing.T, k keeper) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		key, want, version := newSale(), Record{}, Version(0)
		seen := map[Version]bool{}
		past := []Version{0, 1, -1}
		runner := rapid.SampledFrom(k.runners)
		text := rapid.SampledFrom([]string{"", "a", "ção 'x' \\ \n", "\x00\u2028<"})
		swapped := func(to Record, next Version, err error) {
			if (err == nil) != k.kept || !k.kept && !errors.Is(err, ErrInMemory) || next == 0 || seen[next] {
				r.Fatalf("version %d, seen before: %t, %v", next, seen[next], err)
			}
			seen[next] = true
			want, version, past = to, next, append(past, next)
			if want.Stamp.IsZero() {
				want.Stamp = time.Now()
			}
		}
		draw := func(r *rapid.T) Record {
			to := Record{
				Phase: rapid.SampledFrom([]Phase{Idle, Sending, Settled}).Draw(r, "phase"), Result: text.Draw(r, "result"),
				Note: text.Draw(r, "note"), Held: rapid.Bool().Draw(r, "held"),
				Run: text.Draw(r, "run"),
			}
			if rapid.Bool().Draw(r, "stamped") {
				to.Stamp = time.Now().Add(-time.Duration(rapid.IntRange(1, 1e6).Draw(r, "age")) * time.Second).Round(0).UTC()
			}
			return to
		}
		r.Repeat(map[string]func(*rapid.T){
			"": func(r *rapid.T) {
				got, at, err := runner.Draw(r, "runner").Load(t.Context(), key)
				if err != nil || at != version || got.Stamp.Sub(want.Stamp).Abs() > time.Minute {
					r.Fatalf("version %d from %v, %v; want %d from %v", at, got.Stamp, err, version, want.Stamp)
				}
				got.Stamp = want.Stamp
				if diff := cmp.Diff(want, got); diff != "" {
					r.Fatalf("-want +got\n%s", diff)
				}
			},
			"swap": func(r *rapid.T) {
				from, to := version, draw(r)
				if rapid.Bool().Draw(r, "late") {
					from = rapid.SampledFrom(past).Draw(r, "from")
				}
				next, err := runner.Draw(r, "runner").Swap(t.Context(), key, from, to)
				if from == version {
					swapped(to, next, err)
				} else if !errors.Is(err, ErrChanged) || next != 0 {
					r.Fatalf("version %d from a former one, %v", next, err)
				}
			},
			"race": func(r *rapid.T) {
				var all sync.WaitGroup
				var next [4]Version
				var errs [4]error
				to := draw(r)
				for n := range next {
					to := to
					to.Run = fmt.Sprint(n)
					all.Go(func() { next[n], errs[n] = k.runners[n%2].Swap(t.Context(), key, version, to) })
				}
				all.Wait()
				winner := -1
				for n, err := range errs {
					switch {
					case errors.Is(err, ErrChanged):
					case winner >= 0:
						r.Fatalf("two swaps from one version: %v", errs)
					default:
						winner = n
					}
				}
				if winner < 0 {
					r.Fatalf("nobody was first: %v", errs)
				}
				to.Run = fmt.Sprint(winner)
				swapped(to, next[winner], errs[winner])
			},
			"remove": func(r *rapid.T) {
				if k.remove == nil || rapid.IntRange(0, 3).Draw(r, "seldom") > 0 {
					r.Skip()
				}
				k.remove(key)
				want, version = Record{}, 0
			},
		})
	})
}

func TestKeyOf_keepsPartsApart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, list := range rows.Read[[][]string](t, "key_of_keeps_parts_apart.json") {
		name := KeyOf(list[0], list[1:]...).name()
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q share a record", list, other)
		}
		seen[name] = list
	}
}

func load(t *testing.T, s Store, key Key) (Record, Version) {
	t.Helper()
	record, version, err := s.Load(t.Context(), key)
	must(t, err)
	return record, version
}

// put swaps whatever is there.
func put(t *testing.T, s Store, key Key, to Record) Version {
	t.Helper()
	_, version := load(t, s, key)
	next, err := s.Swap(t.Context(), key, version, to)
	must(t, err)
	return next
}

func must(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}
