package journal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// keepFor is how long a record is of use that a state is known to hold. What was
	// sent and never answered, or answered and not seen in a state, is kept until a run
	// settles it: a correction letter is not in any list.
	keepFor = 30 * 24 * time.Hour

	pruneEvery = 24 * time.Hour
	pruneMark  = "pruned"
)

// pruneDaily removes old records, at most once a day. It is best effort: what cannot be
// removed now is removed another day.
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

// pruneRecord removes a record that is old and of no use, unless somebody is about to
// swap it.
func (f *Files) pruneRecord(path, lockPath string, before time.Time) {
	lock, err := lockAt(lockPath)
	if err != nil {
		return
	}
	if isLocked, err := lock.TryLock(); !isLocked || err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if held := f.load(path); held.done() && held.Stamp.Before(before) {
		_ = os.Remove(path)
	}
}
