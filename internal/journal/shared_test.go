package journal

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// Every change counts, nobody enters beside an owner, and an owner waits for those who have entered.
func TestShared_ownersAreAlone(t *testing.T) {
	t.Parallel()
	const users, rounds = 6, 20
	for name, dir := range map[string]string{"files": t.TempDir(), "memory": ""} {
		rows.Case(t, name, func(t *testing.T) {
			alone := OpenFiles(dir).Shared("run")
			var inside, owners atomic.Int32
			var all sync.WaitGroup
			for user := range users {
				shared := alone
				if dir != "" { // As other processes do.
					shared = OpenFiles(dir).Shared("run")
				}
				all.Go(func() {
					for round := range rounds {
						var changes int
						count := func() { changes++ }
						var leave func()
						var err error
						switch owns := (user+round)%3 == 0; {
						case (user+round)%3 == 1:
							err = shared.Change(t.Context(), &changes, count)
						case owns:
							leave, err = shared.Own(t.Context(), &changes, count)
							if owners.Add(1) != 1 || inside.Load() != 0 {
								t.Error("an owner is not alone")
							}
							owners.Add(-1)
						default:
							leave, err = shared.Enter(t.Context(), &changes, count)
							if inside.Add(1); owners.Load() != 0 {
								t.Error("somebody enters beside an owner")
							}
							runtime.Gosched()
							inside.Add(-1)
						}
						if err != nil {
							t.Error(err)
						} else if leave != nil {
							leave()
						}
					}
				})
			}
			all.Wait()
			changes := 0
			expect.Is(t, alone.Change(t.Context(), &changes, func() {}), nil, "the last look")
			expect.Is(t, changes, users*rounds, "changes")
		})
	}
}

// What an earlier run left is removed, and a damaged document counts as an empty one.
func TestShared_whatIsOldOrDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared := OpenFiles(dir).Shared("run")
	expect.Is(t, shared.Change(t.Context(), new(int), func() {}), nil, "the first change")
	for _, name := range []string{"old.json", "old.json.lock", "old.json.hold"} {
		path := filepath.Join(dir, sharedFolder, name)
		long := time.Now().Add(-2 * sharedAge)
		if err := os.WriteFile(path, nil, 0o600); err != nil || os.Chtimes(path, long, long) != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, sharedFolder, "run.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	changes := 0
	expect.Is(t, shared.Change(t.Context(), &changes, func() { changes++ }), nil, "a change")
	expect.Is(t, OpenFiles(dir).Shared("run").Change(t.Context(), &changes, func() {}), nil, "a look of another process")
	left, err := filepath.Glob(filepath.Join(dir, sharedFolder, "*"))
	expect.Is(t, err, nil, "the folder")
	expect.Is(t, len(left), 2, "the files of the run, of %q", left)
	expect.Is(t, changes, 1, "changes")
}
