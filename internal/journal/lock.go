package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockRetry = 50 * time.Millisecond

	// maxStaleLocks bounds the attempts on a file system that cannot tell
	// whether two files are the same. Pruning takes a file away once at most.
	maxStaleLocks = 10
)

// held has one element per entry that is held or waited for in this process.
// File locks would do between goroutines on most platforms, but not where the
// directory cannot be written.
var held = struct {
	sync.Mutex
	slots map[string]*slot
}{slots: map[string]*slot{}}

type slot struct {
	path  string
	free  chan struct{}
	users int
}

// holdInProcess waits until no other goroutine holds path. The function it
// returns must be called once.
func holdInProcess(ctx context.Context, path string) (release func(), err error) {
	// Select chooses at random among what is ready.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := joinSlot(path)
	select {
	case <-s.free:
		return s.release, nil
	case <-ctx.Done():
		s.leave()
		return nil, ctx.Err()
	}
}

// tryInProcess is holdInProcess without waiting.
func tryInProcess(path string) (release func(), ok bool) {
	s := joinSlot(path)
	select {
	case <-s.free:
		return s.release, true
	default:
		s.leave()
		return nil, false
	}
}

func joinSlot(path string) *slot {
	held.Lock()
	defer held.Unlock()
	s := held.slots[path]
	if s == nil {
		s = &slot{path: path, free: make(chan struct{}, 1)}
		s.free <- struct{}{}
		held.slots[path] = s
	}
	s.users++
	return s
}

func (s *slot) release() {
	s.free <- struct{}{}
	s.leave()
}

func (s *slot) leave() {
	held.Lock()
	defer held.Unlock()
	if s.users--; s.users == 0 {
		delete(held.slots, s.path)
	}
}

// lockFile waits for the lock on the file at path. Pruning removes lock files,
// so that the file which was opened may no longer be the one at path: then the
// lock excludes nobody, and is taken again on the new file.
func lockFile(ctx context.Context, path string) (*flock.Flock, error) {
	for range maxStaleLocks {
		lock, err := newLock(path)
		if err != nil {
			return nil, err
		}
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			return nil, err
		}
		current, err := isCurrent(lock)
		if current {
			return lock, nil
		}
		_ = lock.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s is another file after each locking", path)
}

// tryLockFile is lockFile without waiting. It returns nil if another process
// holds the lock or it cannot be had.
func tryLockFile(path string) *flock.Flock {
	lock, err := newLock(path)
	if err != nil {
		return nil
	}
	if ok, err := lock.TryLock(); !ok || err != nil {
		return nil
	}
	if current, _ := isCurrent(lock); !current {
		_ = lock.Close()
		return nil
	}
	return lock
}

func isCurrent(lock *flock.Flock) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(lock.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(locked, there), nil
}
