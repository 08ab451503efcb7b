package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEntry_isRememberedBetweenOpenings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := time.Now()

	steps := []struct {
		name string
		do   func(*Entry) error
		// want is compared without Begun, which begun tells of.
		want  State
		begun bool
	}{
		{"nothing is known at first", func(*Entry) error { return nil }, State{}, false},
		{"nothing is confirmed", (*Entry).Confirm, State{}, false},
		{"a request begins", begin("hash"), State{Note: "hash"}, true},
		{"a request on its way is not confirmed", (*Entry).Confirm, State{Note: "hash"}, true},
		{"it is settled", settle("id-1"), State{ID: "id-1", Note: "hash"}, false},
		{"once confirmed it has no note", (*Entry).Confirm, State{ID: "id-1"}, false},
		{"another one begins", begin(""), State{}, true},
		{"it is settled, too", settle("id-2"), State{ID: "id-2"}, false},
		{"all is forgotten", (*Entry).Forget, State{}, false},
		{"what is forgotten is forgotten again", (*Entry).Forget, State{}, false},
		{"a result is adopted without a request", settle("id-3"), State{ID: "id-3"}, false},
	}
	check := func(step, when string, got, want State, begun bool) {
		t.Helper()
		if got.Begun.IsZero() == begun || begun && (got.Begun.Before(before.Round(0)) || got.Begun.After(time.Now())) {
			t.Errorf("%s, %s: begun %v, want a time of this test: %t", step, when, got.Begun, begun)
		}
		got.Begun = time.Time{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %s (-want +got)\n%s", step, when, diff)
		}
	}
	for _, step := range steps {
		e := open(t, dir, "invoice", "a", "b")
		if !e.Durable() {
			t.Fatal("the entry is not durable")
		}
		if err := step.do(e); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		written := e.State()
		check(step.name, "while open", written, step.want, step.begun)
		closeEntry(t, e)

		e = open(t, dir, "invoice", "a", "b")
		check(step.name, "opened again", e.State(), step.want, step.begun)
		if !e.State().Begun.Equal(written.Begun) {
			t.Errorf("%s: begun %v when opened again, want %v", step.name, e.State().Begun, written.Begun)
		}
		closeEntry(t, e)
	}
}

func TestOpen_keepsPartsApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lists := [][]string{
		{"invoice", "ab", "c"},
		{"invoice", "a", "bc"},
		{"invoice", "abc"},
		{"invoice", "abc", ""},
		{"invoice"},
		{"order", "ab", "c"},
		{"invoice", "c", "ab"},
	}
	seen := map[string][]string{}
	for _, list := range lists {
		e := open(t, dir, list[0], list[1:]...)
		if other, ok := seen[e.Path()]; ok {
			t.Errorf("%q and %q share an entry", list, other)
		}
		seen[e.Path()] = list
		closeEntry(t, e)
	}
}

func TestOpen_refusesAKindThatIsNoName(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "../x", "Invoice", "a b", strings.Repeat("a", 32)} {
		if e, err := OpenFiles(t.TempDir()).Entry(t.Context(), kind, "a"); err == nil {
			t.Errorf("%q was taken for a kind", kind)
			closeEntry(t, e)
		}
	}
}

func TestEntry_showsNoPartToAReaderOfTheDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	record(t, dir, begin("hash"), "invoice", "secretkey", "books-1")
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o700)
		var raw []byte
		if !d.IsDir() {
			files++
			want = 0o600
			if raw, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		if got := info.Mode().Perm(); got != want && runtime.GOOS != "windows" {
			t.Errorf("%s has the permissions %o, want %o", path, got, want)
		}
		for _, part := range []string{"secretkey", "books-1"} {
			if strings.Contains(d.Name(), part) || strings.Contains(string(raw), part) {
				t.Errorf("%s shows %q", path, part)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The entry, its lock and the mark of pruning.
	if files != 3 {
		t.Errorf("there are %d files, want 3", files)
	}
}

func TestEntry_closesAFolderThatIsOpenToOthers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are not kept there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, folder)
	if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	closeEntry(t, open(t, dir, "invoice"))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the permissions %o, want 700", info.Mode().Perm())
	}
}

func TestEntry_refusesToWriteWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir(), "invoice", "a")
	if err := e.Settled("id-1"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a note that is no text":   e.Begin("\xff"),
		"a note that is too long":  e.Begin(strings.Repeat("a", maxContent)),
		"a settled entry of no id": e.Settled(""),
	} {
		if err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if got := (State{ID: "id-1"}); e.State() != got {
		t.Errorf("the state is %v, want %v", e.State(), got)
	}
	closeEntry(t, e)
	if got := stateOf(t, filepath.Dir(filepath.Dir(e.Path())), "invoice", "a"); got != (State{ID: "id-1"}) {
		t.Errorf("the state is %v when opened again", got)
	}
}

func TestEntry_isNotWrittenOnceClosed(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"durable": t.TempDir(), "in memory": blocked(t)} {
		e := open(t, dir, "invoice", "closed")
		closeEntry(t, e)
		closeEntry(t, e)
		for step, err := range map[string]error{"Begin": e.Begin(""), "Settled": e.Settled("id"), "Forget": e.Forget()} {
			if !errors.Is(err, errClosed) {
				t.Errorf("%s: %s after Close gives %v", name, step, err)
			}
		}
		if got := stateOf(t, dir, "invoice", "closed"); got != (State{}) {
			t.Errorf("%s: the state is %v, want none", name, got)
		}
	}
}

func TestOpen_admitsOneGoroutineAtATime(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"durable": t.TempDir(), "in memory": blocked(t), "without a directory": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var (
				wg      sync.WaitGroup
				holders int // Guarded by the entry alone: the race detector sees a failure, too.
			)
			for range 8 {
				wg.Go(func() {
					e, err := OpenFiles(dir).Entry(t.Context(), "invoice", "one at a time")
					if err != nil {
						t.Error(err)
						return
					}
					holders++
					if holders != 1 {
						t.Errorf("%d hold the entry", holders)
					}
					if err := e.Begin(""); err != nil {
						t.Error(err)
					}
					holders--
					if err := e.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestOpen_waitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"durable": t.TempDir(), "in memory": blocked(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := open(t, dir, "invoice", "patience")
			other := open(t, dir, "invoice", "another")
			closeEntry(t, other)

			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := OpenFiles(dir).Entry(ctx, "invoice", "patience")
				failed <- err
			}()
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), held.Path()) {
				t.Errorf("error %v, want one of the context's that names %s", err, held.Path())
			}
			ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if _, err := OpenFiles(dir).Entry(ctx, "invoice", "patience"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the deadline's", err)
			}
			closeEntry(t, held)
			closeEntry(t, open(t, dir, "invoice", "patience"))
			if _, err := OpenFiles(dir).Entry(ctx, "invoice", "patience"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v of a free entry, want the deadline's", err)
			}
			closeEntry(t, open(t, dir, "invoice", "patience"))
		})
	}
}

func TestIsCurrent_noticesThatTheFileWasRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("lock files are not removed there")
	}
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := lockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if current, err := isCurrent(first); !current || err != nil {
		t.Errorf("a file that is there: %t, %v", current, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if current, err := isCurrent(first); current || err != nil {
		t.Errorf("a removed file: %t, %v", current, err)
	}
	second, err := lockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if current, err := isCurrent(first); current || err != nil {
		t.Errorf("a file that was replaced: %t, %v", current, err)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir, kind string, parts ...string) *Entry {
	t.Helper()
	e, err := OpenFiles(dir).Entry(t.Context(), kind, parts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeEntry(t, e) })
	return e
}

// record does something to an entry, and returns where the entry is kept.
func record(t *testing.T, dir string, do func(*Entry) error, kind string, parts ...string) (path string) {
	t.Helper()
	e := open(t, dir, kind, parts...)
	if err := do(e); err != nil {
		t.Fatal(err)
	}
	closeEntry(t, e)
	return e.Path()
}

func begin(note string) func(*Entry) error { return func(e *Entry) error { return e.Begin(note) } }

func settle(id string) func(*Entry) error { return func(e *Entry) error { return e.Settled(id) } }

func closeEntry(t *testing.T, e *Entry) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func stateOf(t *testing.T, dir, kind string, parts ...string) State {
	t.Helper()
	e := open(t, dir, kind, parts...)
	defer closeEntry(t, e)
	return e.State()
}

// blocked returns a path that nobody can make a directory of, whatever rights
// the tests run with.
func blocked(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
