package journal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

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
			f.pruneRecord(ctx, path, lockOf(dir, name[len(name)-hashLength:]), before)
		case strings.HasSuffix(name, tempSuffix): // Of a killed process.
			_ = os.Remove(path)
		}
	}
}

// pruneRecord removes a record that is old and done, unless somebody is about to swap it.
func (f *Files) pruneRecord(ctx context.Context, path, lockPath string, before time.Time) {
	lock, err := lockFile(ctx, lockPath, lockRetry)
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if held := f.load(path); held.isDone() && held.Stamp.Before(before) {
		_ = os.Remove(path)
	}
}
