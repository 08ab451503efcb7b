package journal

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
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
	path string // "" for memory alone

	mu      sync.Mutex // in place of the files of the locks
	holds   sync.RWMutex
	content []byte
}

// Shared returns the document of a name. Those of runs that are over are removed.
func (f *Files) Shared(ctx context.Context, name string) *Shared {
	folder, err := f.prepare(sharedFolder)
	if err != nil {
		return &Shared{}
	}
	s := &Shared{path: filepath.Join(folder, name+suffix)}
	unlock, err := s.lock(ctx)
	if err != nil {
		return &Shared{} // The directory cannot be written to.
	}
	defer unlock()
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > sharedAge {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
	return s
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
	switch {
	case s.path != "" && owns:
		leave, err = take(ctx, s.path+holdSuffix, (*flock.Flock).TryLockContext)
	case s.path != "":
		leave, err = take(ctx, s.path+holdSuffix, (*flock.Flock).TryRLockContext)
	case owns:
		s.holds.Lock()
		leave = s.holds.Unlock
	default:
		s.holds.RLock()
		leave = s.holds.RUnlock
	}
	if err != nil {
		return nil, err
	}
	if err = s.rewrite(held, change); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (s *Shared) lock(ctx context.Context) (unlock func(), err error) {
	if s.path == "" {
		s.mu.Lock()
		return s.mu.Unlock, nil
	}
	return take(ctx, s.path+lockSuffix, (*flock.Flock).TryLockContext)
}

func take(
	ctx context.Context, path string, try func(*flock.Flock, context.Context, time.Duration) (bool, error),
) (release func(), err error) {
	lock, err := lockAt(path)
	if err != nil {
		return nil, err
	}
	if _, err = try(lock, ctx, lockRetry); err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// rewrite is for who holds the lock. A damaged document counts as an empty one.
func (s *Shared) rewrite(held any, change func()) (err error) {
	content := s.content
	if s.path != "" {
		if content, err = readFile(s.path, maxShared); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = json.Unmarshal(content, held)
	change()
	if s.content, err = json.Marshal(held); err == nil && s.path != "" {
		err = replaceFile(s.path, s.content, false)
	}
	return err
}
