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
	f.prune(ctx, now.Add(-keepFor))
}

func (f *Files) prune(ctx context.Context, before time.Time) {
	files, err := os.ReadDir(filepath.Join(f.dir, folder))
	if err != nil {
		return
	}
	for _, file := range files {
		if ctx.Err() != nil {
			return
		}
		info, err := file.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue
		}
		name, isRecord := strings.CutSuffix(file.Name(), suffix)
		switch {
		case isRecord && len(name) > hashLength:
			f.pruneRecord(Key{Kind: name[:len(name)-hashLength-1], hash: name[len(name)-hashLength:]}, before)
		case strings.HasSuffix(name, tempSuffix): // Of a killed process.
			_ = os.Remove(filepath.Join(f.dir, folder, name))
		}
	}
}

// pruneRecord removes a record that is old and of no use, unless somebody is about to
// swap it.
func (f *Files) pruneRecord(key Key, before time.Time) {
	lock, err := newLock(filepath.Join(f.dir, folder, key.hash[:2]+lockSuffix))
	if err != nil {
		return
	}
	if locked, err := lock.TryLock(); err != nil || !locked {
		return
	}
	defer func() { _ = lock.Close() }()
	held := f.load(f.Where(key))
	if held.done() && held.Stamp.Before(before) {
		_ = os.Remove(f.Where(key))
	}
}
