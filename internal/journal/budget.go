package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	budgetTries = 400 // for two seconds: a loaded machine may hold the lock for one
	budgetPause = 5 * time.Millisecond

	// budgetRest is how long a budget's file is left alone after it could not be
	// used, so that a stopped process that holds its lock does not slow down every
	// request of this one.
	budgetRest = 10 * time.Second

	maxBudget = 4 << 20 // bytes
)

var (
	errNoDirectory = errors.New("journal: there is no directory for budgets")
	errResting     = errors.New("journal: the budget's file could not be used a moment ago")
	errLocked      = errors.New("journal: the budget's file is locked")
)

// UpdateBudget changes the file of a key under the lock file beside it. Content
// that cannot be read is given to change as an empty document.
func (f *Files) UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error {
	if f.dir == "" {
		return errNoDirectory
	}
	if f.resting(key) {
		return errResting
	}
	path := filepath.Join(f.dir, "rate-"+key)
	err := updateBudget(path, change)
	for try := 1; try < budgetTries && errors.Is(err, errLocked); try++ {
		<-time.After(budgetPause)
		err = updateBudget(path, change)
	}
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.rests[key] = time.Now().Add(budgetRest)
	}
	return err
}

// resting reports whether the file of a key is left alone. A rest that a jump of the
// clock has made longer is over.
func (f *Files) resting(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	left := time.Until(f.rests[key])
	return left > 0 && left <= budgetRest
}

func updateBudget(path string, change func([]byte, time.Time) []byte) error {
	if err := prepareFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	lock, err := newLock(path + lockSuffix)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if locked, err := lock.TryLock(); err != nil {
		return fmt.Errorf("journal: %w", err)
	} else if !locked {
		return errLocked
	}
	document, err := readFile(path+".json", maxBudget)
	if err != nil {
		document = nil
		if !errors.Is(err, fs.ErrNotExist) {
			document = []byte{}
		}
	}
	next := change(document, time.Now())
	if next == nil {
		return nil
	}
	// In one step: a process that is killed while it writes leaves the former
	// document behind, not half a new one.
	fresh := path + ".json.new"
	file, err := create(fresh)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_, err = file.Write(next)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := os.Rename(fresh, path+".json"); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
