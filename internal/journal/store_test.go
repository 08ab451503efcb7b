package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

const budgetKey = "0123abcd"

// budgets are a place of budgets.
type budgets interface {
	UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error
}

func unchanged([]byte, time.Time) []byte { return nil }

// countUp adds one to the number that the document is.
func countUp(b budgets) error {
	return b.UpdateBudget(budgetKey, func(document []byte, _ time.Time) []byte {
		n, _ := strconv.Atoi(string(document))
		return []byte(strconv.Itoa(n + 1))
	})
}

// document reads the budget without changing it.
func document(t *testing.T, b budgets) []byte {
	t.Helper()
	var held []byte
	before := time.Now().Truncate(time.Microsecond)
	must(t, b.UpdateBudget(budgetKey, func(document []byte, now time.Time) []byte {
		if now.Before(before) || now.After(time.Now()) {
			t.Errorf("the store's clock says %s", now)
		}
		held = document
		return nil
	}))
	return held
}

// checkBudget expects no change to be lost, whoever makes it.
func checkBudget(t *testing.T, open func() budgets) {
	t.Helper()
	if held := document(t, open()); held != nil {
		t.Errorf("%q is kept at first", held)
	}
	var running sync.WaitGroup
	for range 4 {
		b := open()
		running.Go(func() {
			for range 10 {
				if err := countUp(b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	if held := document(t, open()); string(held) != "40" {
		t.Errorf("%s of 40 changes are kept", held)
	}
}

// Time stands still while one of them works, so that none waits too long.
func TestFiles_keepABudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "new", "cache")
		checkBudget(t, func() budgets { return OpenFiles(dir) })
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Fatalf("files %v, %v", entries, err)
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), "rate-"+budgetKey) {
				t.Errorf("file %s", entry.Name())
			}
		}
	})
}

func TestUpdateBudget_failsWhereItCannotBeKept(t *testing.T) {
	t.Parallel()
	inTheWay := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(inTheWay, "rate-"+budgetKey+".json", "x"), 0o700))
	for name, f := range map[string]*Files{
		"no directory": OpenFiles(""), "a file in place of the directory": OpenFiles(blocked(t)),
		"a directory in place of the file": OpenFiles(inTheWay),
	} {
		if err := countUp(f); err == nil {
			t.Errorf("%s: the change counts as kept", name)
		}
	}
	if held := document(t, OpenFiles(inTheWay)); held == nil || len(held) > 0 {
		t.Errorf("what cannot be read is %q, want an empty document", held)
	}
}

func TestUpdateBudget_givesUpAStoppedHolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		lock, err := lockFile(t.Context(), filepath.Join(dir, "rate-"+budgetKey+lockSuffix), lockRetry)
		must(t, err)
		f := OpenFiles(dir)
		begun := time.Now()
		if err := countUp(f); err == nil || time.Since(begun) > budgetPatience {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		must(t, lock.Close())
		must(t, countUp(f))
	})
}
