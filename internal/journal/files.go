package journal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	folder     = "journal"
	lockSuffix = ".lock"
	tempSuffix = ".tmp"
)

// Files is a [Store] in a directory of this machine. Entries that cannot be kept
// there live in memory, and exclude each other within this process only.
type Files struct {
	dir     string // "" for memory alone
	resting rest
}

var _ Store = (*Files)(nil)

// OpenFiles returns the store in dir, which is made when it is first written to.
// An empty dir keeps entries in memory, and no budget.
func OpenFiles(dir string) *Files {
	if dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
	}
	return &Files{dir: dir}
}

// Entry opens an entry, which is a small file with a lock file beside it.
func (f *Files) Entry(ctx context.Context, kind string, parts ...string) (*Entry, error) {
	if !kindForm.MatchString(kind) {
		return nil, fmt.Errorf("journal: %q is not a kind of entry", kind)
	}
	file := entryFile{kind: kind, hash: hashOf(kind, parts)}
	file.path = filepath.Join(f.dir, folder, kind+"-"+file.hash)
	e := &Entry{}
	if f.dir != "" {
		e.path = file.path
	}

	prepared := f.dir != "" && prepareFolder(filepath.Dir(file.path)) == nil
	if prepared {
		pruneDaily(ctx, filepath.Dir(file.path))
	}
	leave, err := holdInProcess(ctx, file.path)
	if err != nil {
		return nil, fmt.Errorf("journal: waiting for %s: %w", file.path, err)
	}
	var lock *flock.Flock
	if prepared {
		lock, err = lockFile(ctx, file.path+lockSuffix)
		if err != nil && ctx.Err() != nil {
			leave()
			return nil, fmt.Errorf("journal: waiting for %s: %w", file.path, ctx.Err())
		}
		// A read-only file system is to be found before anything depends on the entry.
		e.durable = err == nil && checkWritable(filepath.Dir(file.path)) == nil
	}
	e.release = func() (err error) {
		// The file's lock goes first: whoever waits in this process for the entry
		// must not find it held by nobody.
		defer leave()
		if lock != nil {
			err = lock.Close()
		}
		return err
	}

	// What this process remembers is newer than the file: it was kept while the
	// directory could not be written.
	remembered, ok := recall(file.path)
	switch {
	case ok && e.durable && file.write(remembered, true) == nil:
		memory.Delete(file.path)
		e.state = remembered
	case ok:
		e.durable = false
		e.state = remembered
	case e.durable || f.dir != "" && exists(file.path):
		e.state = file.read()
	}
	if now := time.Now(); e.state.Begun.After(now) {
		e.state.Begun = now
	}
	e.save = file.write
	if !e.durable {
		e.save = func(s State, _ bool) error { memory.Store(file.path, s); return nil }
	}
	return e, nil
}

// hashOf writes the length before each part, so that no two lists of parts
// make the same bytes.
func hashOf(kind string, parts []string) string {
	h := sha256.New()
	for _, part := range append([]string{kind}, parts...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
