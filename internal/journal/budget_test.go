package journal

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const budgetKey = "0123abcd"

func unchanged([]byte, time.Time) []byte { return nil }

// countUp adds one to the number that the document is.
func countUp(f *Files) error {
	return f.UpdateBudget(budgetKey, func(document []byte, _ time.Time) []byte {
		n, _ := strconv.Atoi(string(document))
		return []byte(strconv.Itoa(n + 1))
	})
}

// document reads the budget without changing it.
func document(t *testing.T, f *Files) []byte {
	t.Helper()
	var held []byte
	before := time.Now()
	must(t, f.UpdateBudget(budgetKey, func(document []byte, now time.Time) []byte {
		if now.Before(before) || now.After(time.Now()) {
			t.Errorf("the store's clock says %s", now)
		}
		held = document
		return nil
	}))
	return held
}

func TestUpdateBudget_keepsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "cache")
	if held := document(t, OpenFiles(dir)); held != nil {
		t.Errorf("%q is kept at first", held)
	}
	must(t, countUp(OpenFiles(dir)))
	if held := document(t, OpenFiles(dir)); string(held) != "1" {
		t.Errorf("%q is kept, want 1", held)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("files %v, %v", entries, err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "rate-"+budgetKey) {
			t.Errorf("file %s", entry.Name())
		}
	}
}

// Time stands still while one of them works, so that none waits too long.
func TestUpdateBudget_losesNoChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				f := OpenFiles(dir)
				for range 10 {
					if err := countUp(f); err != nil {
						t.Error(err)
					}
				}
			})
		}
		running.Wait()
		if held := document(t, OpenFiles(dir)); string(held) != "40" {
			t.Errorf("%s of 40 changes are kept", held)
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
