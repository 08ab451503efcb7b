package journal

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	sharedFolder = "runs"
	holdSuffix   = ".hold"
	maxShared    = 1 << 20            // in bytes
	sharedAge    = 7 * 24 * time.Hour // no run of a CLI takes that long
)

// Shared is a small JSON document that the provider blocks of one run of the CLI share, each of which is a process.
// Whoever enters it keeps out those who want to own it, and an owner keeps all others out. Where this machine has no
// directory for it, each block has a document of its own.
type Shared struct {
	path func() string // "" for memory alone; the first call makes its folder

	mu      sync.Mutex // in place of the files of the locks
	holds   sync.RWMutex
	content []byte
}

// Shared returns the document of a name. Nothing is read or made before its first use.
func (f *Files) Shared(name string) *Shared {
	return &Shared{path: sync.OnceValue(func() string { return f.openShared(name) })}
}

// openShared is the path of a document. Those of runs that are over are removed.
func (f *Files) openShared(name string) string {
	dir, err := f.writable(sharedFolder)
	if err != nil {
		return ""
	}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > sharedAge {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
	return filepath.Join(dir, name+suffix)
}

// Change reads the document into held, and writes it as change leaves that.
func (s *Shared) Change(ctx context.Context, held any, change func()) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.rewrite(held, change)
}

// Enter is Change, and keeps the document from being owned until leave is called.
func (s *Shared) Enter(ctx context.Context, held any, change func()) (leave func(), err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.enter(ctx, false, held, change)
}

// Own is Change once all have left, and keeps everybody out until done is called.
func (s *Shared) Own(ctx context.Context, held any, change func()) (done func(), err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := s.enter(ctx, true, held, change)
	if err != nil {
		unlock()
		return nil, err
	}
	return func() { leave(); unlock() }, nil
}

// enter is for who holds the lock, which lets nobody else in while an owner waits for the others to leave.
func (s *Shared) enter(ctx context.Context, owns bool, held any, change func()) (leave func(), err error) {
	try := (*flock.Flock).TryRLockContext
	lock, unlock := s.holds.RLock, s.holds.RUnlock
	if owns {
		try, lock, unlock = (*flock.Flock).TryLockContext, s.holds.Lock, s.holds.Unlock
	}
	if leave, err = s.take(ctx, holdSuffix, try, lock, unlock); err != nil {
		return nil, err
	}
	if err = s.rewrite(held, change); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (s *Shared) lock(ctx context.Context) (unlock func(), err error) {
	return s.take(ctx, lockSuffix, (*flock.Flock).TryLockContext, s.mu.Lock, s.mu.Unlock)
}

// take takes the lock that is a file, or that of the memory.
func (s *Shared) take(
	ctx context.Context, suffix string, try func(*flock.Flock, context.Context, time.Duration) (bool, error),
	lock, unlock func(),
) (release func(), err error) {
	if s.path() == "" {
		lock()
		return unlock, nil
	}
	file, err := lockBy(ctx, s.path()+suffix, try)
	if err != nil {
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

// rewrite is for who holds the lock. A damaged document counts as an empty one.
func (s *Shared) rewrite(held any, change func()) (err error) {
	next := func(content []byte, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		_ = json.Unmarshal(content, held)
		change()
		return json.Marshal(held)
	}
	if s.path() == "" {
		s.content, err = next(s.content, nil)
		return err
	}
	return rewriteFile(s.path(), maxShared, next)
}
