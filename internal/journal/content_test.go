package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOpen_takesDamagedContentForABegunRequest(t *testing.T) {
	t.Parallel()
	changed := time.Now().Add(-time.Hour).Truncate(time.Second)
	tests := map[string]func(valid string) string{
		"empty":                          func(string) string { return "" },
		"cut off":                        func(s string) string { return s[:len(s)-4] },
		"followed by something":          func(s string) string { return s + "x" },
		"zeros":                          func(s string) string { return strings.Repeat("\x00", len(s)) },
		"another form":                   func(string) string { return "id id-1\n" },
		"another object":                 func(string) string { return "{}" },
		"null":                           func(string) string { return "null" },
		"of a later version":             func(s string) string { return strings.Replace(s, `"version":1`, `"version":2`, 1) },
		"of another entry":               func(s string) string { return strings.Replace(s, `"key":"`, `"key":"0`, 1) },
		"of another kind":                func(s string) string { return strings.Replace(s, `"invoice"`, `"order"`, 1) },
		"without an id":                  func(s string) string { return strings.Replace(s, `"id":"id-1"`, `"id":""`, 1) },
		"with an id that is no string":   func(s string) string { return strings.Replace(s, `"id-1"`, `1`, 1) },
		"both begun and settled":         func(s string) string { return strings.Replace(s, `"id":`, `"begun":"2026-01-02T03:04:05Z","id":`, 1) },
		"begun at no time":               func(s string) string { return strings.Replace(s, `"id":"id-1"`, `"begun":"soon"`, 1) },
		"begun at the beginning of time": func(s string) string { return strings.Replace(s, `"id":"id-1"`, `"begun":"0001-01-01T00:00:00Z"`, 1) },
		"longer than is read":            func(s string) string { return s + strings.Repeat(" ", maxContent) + "x" },
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := record(t, dir, settle("id-1"), "invoice", "a")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			damaged := damage(string(raw))
			if damaged == string(raw) {
				t.Fatal("the content is unchanged")
			}
			write(t, path, damaged, changed)

			e := open(t, dir, "invoice", "a")
			got := e.State()
			if !got.Begun.Equal(changed) || got.ID != "" || got.Note != "" {
				t.Errorf("the state is %v, want a request begun at %v", got, changed)
			}
			if !e.Durable() {
				t.Error("the entry is not durable")
			}
			if err := e.Settled("id-2"); err != nil {
				t.Errorf("the entry cannot be written: %v", err)
			}
			closeEntry(t, e)
			if got := stateOf(t, dir, "invoice", "a"); got.ID != "id-2" {
				t.Errorf("the state is %v, want id-2", got)
			}
		})
	}
}

// What a disk does not write whole never takes the place of what was there, and what
// is about to be sent has a file of its own that was waited for.
func TestWrite_goesOverTheOldContentOnlyWhereThatIsOneStep(t *testing.T) {
	t.Parallel()
	short, long := State{ID: "id-1"}, State{ID: "id-1", Note: strings.Repeat("n", sector)}
	for name, test := range map[string]struct {
		before, after State
		sending       bool
		over          bool
	}{
		"short over short":         {State{ID: "id-0", Note: "note"}, short, false, true},
		"longer over shorter":      {short, State{ID: "id-2", Note: "a longer note"}, false, true},
		"long over short":          {short, long, false, false},
		"short over long":          {long, short, false, false},
		"what is about to be sent": {short, State{Begun: time.Now().UTC().Round(time.Second)}, true, false},
		"what became of it":        {State{Begun: time.Now().UTC()}, short, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := entryFile{filepath.Join(t.TempDir(), "entry"), "invoice", "abc"}
			must(t, file.write(test.before, false))
			// The second name keeps the number of the first file from being used again.
			must(t, os.Link(file.path, file.path+"-before"))
			must(t, file.write(test.after, test.sending))
			if got := file.read(); got != test.after {
				t.Errorf("reads as %v, want %v", got, test.after)
			}
			before, err := os.Stat(file.path + "-before")
			must(t, err)
			after, err := os.Stat(file.path)
			must(t, err)
			if over := os.SameFile(before, after); over != test.over {
				t.Errorf("written over the old content: %t, want %t", over, test.over)
			}
		})
	}
}

func TestOpen_takesAFolderForABegunRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir, "invoice", "a")
	closeEntry(t, e)
	if err := os.MkdirAll(filepath.Join(e.Path(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir, "invoice", "a")
	if e.State().Begun.IsZero() {
		t.Errorf("the state is %v, want a begun request", e.State())
	}
	if err := e.Begin(""); err == nil {
		t.Error("a request could begin that is not recorded")
	}
}

func TestOpen_takesAFutureBeginForNow(t *testing.T) {
	t.Parallel()
	tests := map[string]func(valid string) string{
		"in the content":     func(s string) string { return s },
		"as the file's time": func(string) string { return "damaged" },
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e := open(t, dir, "invoice", "a")
			future := time.Now().Add(48 * time.Hour)
			if err := (entryFile{e.Path(), "invoice", hashOf("invoice", []string{"a"})}).write(State{Begun: future, Note: "hash"}, true); err != nil {
				t.Fatal(err)
			}
			closeEntry(t, e)
			raw, err := os.ReadFile(e.Path())
			if err != nil {
				t.Fatal(err)
			}
			write(t, e.Path(), content(string(raw)), future)

			before := time.Now()
			got := stateOf(t, dir, "invoice", "a").Begun
			if got.Before(before) || got.After(time.Now()) {
				t.Errorf("begun at %v, want the time of opening", got)
			}
		})
	}
}

func TestOpen_forgetsWhatAPersonRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Remove(record(t, dir, begin(""), "letter", "a")); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(t, dir, "letter", "a"); got != (State{}) {
		t.Errorf("the state is %v, want none", got)
	}
}

func TestOpen_remembersInMemoryWhereItCannotWrite(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"a file in place of the directory": blocked(t), "no directory": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Memory is the process's, and a test may run in it more than once.
			part := t.TempDir()
			e := open(t, dir, "invoice", part)
			if e.Durable() {
				t.Error("the entry is durable")
			}
			if got := e.State(); got != (State{}) {
				t.Errorf("the state is %v at first, want none", got)
			}
			if err := e.Begin("hash"); err != nil {
				t.Fatal(err)
			}
			closeEntry(t, e)
			if got := stateOf(t, dir, "invoice", part); got.Begun.IsZero() || got.Note != "hash" {
				t.Errorf("the state is %v, want a begun request", got)
			}
			if got := stateOf(t, dir, "invoice", part, "other"); got != (State{}) {
				t.Errorf("the state of another entry is %v, want none", got)
			}
		})
	}
}

func TestOpen_writesDownWhatItRemembersOnceItCan(t *testing.T) {
	t.Parallel()
	dir := blocked(t)
	record(t, dir, settle("id-1"), "invoice", "a")
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	e := open(t, dir, "invoice", "a")
	if got := e.State(); !e.Durable() || got.ID != "id-1" {
		t.Errorf("the state is %v, durable %t, want id-1 on disk", got, e.Durable())
	}
	closeEntry(t, e)
	if got := (entryFile{e.Path(), "invoice", hashOf("invoice", []string{"a"})}).read(); got.ID != "id-1" {
		t.Errorf("the file says %v, want id-1", got)
	}
	if _, ok := recall(e.Path()); ok {
		t.Error("the entry is in memory as well, and would win over a later file")
	}
}

func TestOpen_readsWhereItCannotWrite(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path string) error{
		"a folder in place of the lock": func(_ *testing.T, path string) error {
			return errors.Join(os.Remove(path+lockSuffix), os.Mkdir(path+lockSuffix, 0o700))
		},
		"a directory that is read-only": func(t *testing.T, path string) error {
			t.Helper()
			if os.Geteuid() <= 0 {
				t.Skip("permissions bind neither root nor Windows")
			}
			t.Cleanup(func() {
				if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
					t.Error(err)
				}
			})
			return os.Chmod(filepath.Dir(path), 0o500)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := record(t, dir, begin("hash"), "invoice", "a")
			if err := spoil(t, path); err != nil {
				t.Fatal(err)
			}
			e := open(t, dir, "invoice", "a")
			if e.Durable() || e.State().Note != "hash" || e.State().Begun.IsZero() {
				t.Errorf("the state is %v, durable %t, want the begun request of the file", e.State(), e.Durable())
			}
			if err := e.Settled("id-1"); err != nil {
				t.Fatal(err)
			}
			closeEntry(t, e)
			if got := stateOf(t, dir, "invoice", "a"); got.ID != "id-1" {
				t.Errorf("the state is %v, want id-1", got)
			}
		})
	}
}

func write(t *testing.T, path, raw string, changed time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}
