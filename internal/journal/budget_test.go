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
