package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

const (
	folder     = "once"
	suffix     = ".json"
	lockSuffix = ".lock"
	tempSuffix = ".tmp"

	lockRetry = 2 * time.Millisecond
	// lockPatience is how long a swap waits for another one: they take milliseconds, so
	// that who holds the lock for longer is stopped.
	lockPatience = 10 * time.Second

	// maxRecord is in bytes. It bounds what is read of a file that may not be ours.
	maxRecord = 64 << 10

	renameTries = 100
	renamePause = 10 * time.Millisecond
)

// Files is a [Store] in a directory of this machine. Records that cannot be kept there
// live in the memory of this process.
type Files struct {
	dir     string // "" for memory alone
	resting rest
}

var _ Store = (*Files)(nil)

// unwritten holds the records that could not be written, each for as long as its file
// stays as it was. It belongs to the process: whichever store a record is opened by, it
// is the same.
var unwritten Memory

// OpenFiles returns the store in dir, which is made when it is first written to. An
// empty dir keeps records in memory, and no budget.
func OpenFiles(dir string) *Files {
	if dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
	}
	return &Files{dir: dir}
}

// Where is the path of the record's file.
func (f *Files) Where(key Key) string {
	if f.dir == "" {
		return unwritten.Where(key)
	}
	return filepath.Join(f.dir, folder, key.name()+suffix)
}

// Load reads the record's file. A file that cannot be understood means that something
// was sent: it counts as a request that left when the file was last changed.
func (f *Files) Load(_ context.Context, key Key) (Record, Version, error) {
	held := f.load(f.Where(key))
	if held.Version == 0 && key.former != "" {
		if err := f.former(key); err != nil {
			return Record{}, 0, err
		}
	}
	return held.Record, held.Version, nil
}

func (f *Files) load(path string) versioned {
	held := f.read(path)
	// What this process remembers is newer.
	if newer, ok := unwritten.recall(nameOver(path, held.Version)); ok {
		held = newer
	}
	// Clocks jump: nothing was sent later than now.
	if now := time.Now(); held.Stamp.After(now) {
		held.Stamp = now
	}
	return held
}

// nameOver names a record that was to replace the file of that version.
func nameOver(path string, file Version) string { return fmt.Sprint(path, " ", file) }

func (f *Files) read(path string) (held versioned) {
	if f.dir == "" {
		return versioned{}
	}
	raw, err := readFile(path, maxRecord)
	if _, missing := os.Lstat(path); missing != nil && err != nil {
		return versioned{} // The directory may be none, or somebody else's.
	}
	if err == nil && json.Unmarshal(raw, &held) == nil && held.Version > 0 && held.understood() {
		return held
	}
	info, err := os.Lstat(path)
	if err != nil {
		return versioned{} // Its directory is none, or closed to this user.
	}
	// Another version where it is damaged again.
	return versioned{Version(min(-1, -info.ModTime().UnixNano())), Record{Phase: Sending, Stamp: info.ModTime()}}
}

// Swap replaces the record's file under a lock that is held for the time of a write.
func (f *Files) Swap(ctx context.Context, key Key, from Version, to Record) (Version, error) {
	path := f.Where(key)
	lock, err := f.lock(ctx, key)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return 0, fmt.Errorf("journal: another process holds the lock of %s: %w", path, err)
	}
	if err != nil {
		return f.remember(path, from, to, err)
	}
	defer func() { _ = lock.Close() }()
	if f.load(path).Version != from {
		return 0, fmt.Errorf("journal: %s: %w", path, ErrChanged)
	}
	if to.Stamp.IsZero() {
		to.Stamp = time.Now().Round(0).UTC()
	}
	next := versioned{newVersion(), to}
	if err := write(path, next, to.Phase == Sending && !key.Fleeting); err != nil {
		return f.remember(path, from, to, err)
	}
	return next.Version, nil
}

// remember keeps a record that could not be written for cause.
func (f *Files) remember(path string, from Version, to Record, cause error) (Version, error) {
	file := f.read(path).Version
	version, err := unwritten.swap(nameOver(path, file), from, to, file)
	if err != nil {
		return 0, err
	}
	return version, fmt.Errorf("%w: %w", ErrInMemory, cause)
}

// lock takes the lock that the records with the same first byte of their hash share, so
// that there are 256 lock files and none has to be removed.
func (f *Files) lock(ctx context.Context, key Key) (*flock.Flock, error) {
	if f.dir == "" {
		return nil, errNoDirectory
	}
	dir := filepath.Join(f.dir, folder)
	if err := prepareFolder(dir); err != nil {
		return nil, err
	}
	f.pruneDaily(ctx, dir)
	lock, err := newLock(filepath.Join(dir, key.hash[:2]+lockSuffix))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, err
	}
	return lock, nil
}

// readFile reads so many bytes of a file at most.
func readFile(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most))
}

// write replaces a file in one step. A synced one outlives a loss of power.
func write(path string, record versioned, synced bool) error {
	raw, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if len(raw) >= maxRecord {
		return errors.New("it is too long for a record")
	}
	temp := path + tempSuffix
	file, err := create(temp)
	if err != nil {
		return err
	}
	_, err = file.Write(append(raw, '\n'))
	if err == nil && synced {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return err
	}
	if synced {
		syncFolder(filepath.Dir(path))
	}
	return nil
}

// rename tries again where a file cannot be replaced while somebody reads it.
func rename(from, to string) (err error) {
	for range renameTries {
		if err = os.Rename(from, to); err == nil || runtime.GOOS != "windows" {
			break
		}
		<-time.After(renamePause)
	}
	return err
}

// syncFolder makes a rename outlive a loss of power. Not every platform and file
// system can do it, and the rename itself has succeeded: hence no error.
func syncFolder(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	_ = f.Sync()
	_ = f.Close()
}
