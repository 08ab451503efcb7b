package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	folder     = "once"
	suffix     = ".json"
	lockSuffix = ".lock"
	tempSuffix = ".tmp"

	lockRetry      = 2 * time.Millisecond
	lockPatience   = 10 * time.Second // a swap takes milliseconds: a process that holds the lock for longer is stopped
	budgetPatience = 2 * time.Second  // a loaded machine may hold the lock of a budget for a second

	// In bytes, because the file may not be ours.
	maxRecord = 64 << 10
	maxBudget = 4 << 20
)

var errNoDirectory = errors.New("this machine has no directory for caches")

// Files is a [Store] in a directory of this machine. Records that cannot be kept there live in this process's memory.
type Files struct {
	dir string // "" for memory alone
}

var _ Store = (*Files)(nil)

// unwritten holds this process's records that could not be written, each for as long as its file stays as it was.
var unwritten memory

// OpenFiles returns the store in dir, which the first write makes. An empty dir keeps records in memory, no budget.
func OpenFiles(dir string) *Files {
	if abs, err := filepath.Abs(dir); err == nil && dir != "" {
		dir = abs
	}
	return &Files{dir}
}

// Check returns why the directory cannot be used. Records live in memory alone then.
func (f *Files) Check() error {
	_, err := f.writable(folder)
	return err
}

// writable is prepare for a folder in which files can be made.
func (f *Files) writable(folder string) (string, error) {
	path, err := f.prepare(folder)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(path, "check-*"+tempSuffix)
	if err != nil {
		return "", err
	}
	return path, errors.Join(file.Close(), os.Remove(file.Name()))
}

// prepare makes the store's directory and a folder in it, whose path it returns.
func (f *Files) prepare(folder string) (string, error) {
	if f.dir == "" {
		return "", errNoDirectory
	}
	path := filepath.Join(f.dir, folder)
	err := prepareFolder(f.dir)
	if err == nil && path != f.dir {
		err = prepareFolder(path)
	}
	return path, err
}

// Where returns the path of the record's file.
func (f *Files) Where(key Key) string {
	if f.dir == "" {
		return "the memory of this process, " + key.name()
	}
	return filepath.Join(f.dir, folder, key.name()+suffix)
}

// Load reads the record's file. A damaged file counts as a request that left when the file was last changed.
func (f *Files) Load(_ context.Context, key Key) (Record, Version, error) {
	held := f.load(f.Where(key))
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

// nameOver names a record that should have replaced the file of that version.
func nameOver(path string, file Version) string { return fmt.Sprint(path, " ", file) }

func (f *Files) read(path string) (held versioned) {
	if f.dir == "" {
		return versioned{}
	}
	raw, err := readFile(path, maxRecord)
	if err == nil && json.Unmarshal(raw, &held) == nil && held.Version > 0 && held.isKnown() {
		return held
	}
	info, missing := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || missing != nil {
		return versioned{} // Perhaps its directory is none, or closed to this user.
	}
	// Another version where it is damaged again.
	return versioned{Version(min(-1, -info.ModTime().UnixNano())), Record{Phase: Sending, Stamp: info.ModTime()}}
}

// Swap replaces the record's file under a lock, which it holds for the time of a write.
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
	if err := write(path, next, to.Phase == Sending); err != nil {
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

func (f *Files) lock(ctx context.Context, key Key) (*flock.Flock, error) {
	dir, err := f.prepare(folder)
	if err != nil {
		return nil, err
	}
	f.pruneDaily(ctx, dir)
	return lockFile(ctx, lockOf(dir, key.hash), lockPatience)
}

// lockOf returns the lock file of the records whose hash has the same first byte: there are 256, and none is removed.
func lockOf(dir, hash string) string { return filepath.Join(dir, hash[:2]+lockSuffix) }

func write(path string, record versioned, synced bool) error {
	raw, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if len(raw) >= maxRecord {
		return errors.New("it is too long for a record")
	}
	return replaceFile(path, append(raw, '\n'), synced)
}

// UpdateBudget changes the file of a key under the lock file beside it. Content that cannot be read is an empty
// document.
func (f *Files) UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error {
	dir, err := f.prepare("")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "rate-"+key)
	lock, err := lockFile(context.Background(), path+lockSuffix, budgetPatience)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	return rewriteFile(path+suffix, maxBudget, func(document []byte, err error) ([]byte, error) {
		if err != nil {
			document = []byte{}
		}
		return change(document, time.Now()), nil
	})
}

const (
	// keepFor is how long a record is kept that is done. Any other is kept until a run settles it.
	keepFor = 30 * 24 * time.Hour

	pruneEvery = 24 * time.Hour
	pruneMark  = "pruned"
)

// pruneDaily removes old records, at most once a day. What cannot be removed now is removed another day.
func (f *Files) pruneDaily(ctx context.Context, path string) {
	now := time.Now()
	mark := filepath.Join(path, pruneMark)
	if info, err := os.Lstat(mark); err == nil {
		// A mark in the future would stop pruning for good.
		if age := now.Sub(info.ModTime()); age >= 0 && age < pruneEvery {
			return
		}
	}
	// The mark is set first, so that processes that start together do not all prune.
	file, err := create(mark)
	if err != nil {
		return
	}
	_ = file.Close()
	f.prune(ctx, path, now.Add(-keepFor))
}

func (f *Files) prune(ctx context.Context, dir string, before time.Time) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		info, err := file.Info()
		if err != nil || ctx.Err() != nil || !info.ModTime().Before(before) {
			continue
		}
		path := filepath.Join(dir, file.Name())
		name, isRecord := strings.CutSuffix(file.Name(), suffix)
		switch {
		case isRecord && len(name) > hashLength:
			f.pruneRecord(path, lockOf(dir, name[len(name)-hashLength:]), before)
		case strings.HasSuffix(name, tempSuffix): // Of a killed process.
			_ = os.Remove(path)
		}
	}
}

// pruneRecord removes a record that is old and done, unless somebody is about to swap it.
func (f *Files) pruneRecord(path, lockPath string, before time.Time) {
	lock, err := lockAt(lockPath)
	if err != nil {
		return
	}
	if isLocked, err := lock.TryLock(); !isLocked || err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if held := f.load(path); held.isDone() && held.Stamp.Before(before) {
		_ = os.Remove(path)
	}
}
