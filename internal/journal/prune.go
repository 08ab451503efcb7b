package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

const (
	// keepFor is how long a settled entry is of use that a state is known to hold.
	// What was begun and never answered, or answered and not seen in a state, is kept
	// until a run settles it: a correction letter is not in any list.
	keepFor = 30 * 24 * time.Hour

	pruneEvery = 24 * time.Hour
	pruneMark  = "pruned"
)

var entryName = regexp.MustCompile(`^([a-z][a-z0-9-]{0,30}-[0-9a-f]{64})(\.lock|\.tmp)?$`)

// pruneDaily removes old entries, at most once a day per folder. It is best
// effort: what cannot be removed now is removed another day.
func pruneDaily(ctx context.Context, path string) {
	now := time.Now()
	mark := filepath.Join(path, pruneMark)
	if info, err := os.Lstat(mark); err == nil {
		// A mark in the future would stop pruning for good.
		if age := now.Sub(info.ModTime()); age >= 0 && age < pruneEvery {
			return
		}
	}
	// The mark is set first, so that processes that start together do not all
	// prune, and a folder that cannot be pruned is not read each time.
	file, err := create(mark)
	if err != nil {
		return
	}
	_ = file.Close()
	prune(ctx, path, now.Add(-keepFor))
}

func prune(ctx context.Context, path string, before time.Time) {
	files, err := os.ReadDir(path)
	if err != nil {
		return
	}
	done := map[string]bool{}
	for _, file := range files {
		if ctx.Err() != nil {
			return
		}
		match := entryName.FindStringSubmatch(file.Name())
		if match == nil || done[match[1]] {
			continue
		}
		done[match[1]] = true
		pruneEntry(filepath.Join(path, match[1]), before)
	}
}

// pruneEntry removes an old entry with its files, unless somebody holds it.
func pruneEntry(path string, before time.Time) {
	// Most entries are young. They are left alone without taking their locks.
	if !isOld(path, before) {
		return
	}
	release, ok := tryInProcess(path)
	if !ok {
		return
	}
	defer release()
	lock := tryLockFile(path + lockSuffix)
	if lock == nil {
		return
	}
	defer func() { _ = lock.Close() }()
	// Somebody may have held and written it since.
	if !isOld(path, before) || isOpen(path) {
		return
	}
	for _, name := range []string{path, path + tempSuffix} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	// Last and under its lock: whoever waits for this file finds afterwards that
	// it is gone, and locks a new one. Windows does not let go of a name while a
	// file is open, so there the empty lock file stays.
	if runtime.GOOS != "windows" {
		_ = os.Remove(path + lockSuffix)
	}
}

// isOpen tells that an entry is not settled, or not known to be kept where it
// belongs. What cannot be understood counts as that.
func isOpen(path string) bool {
	name := filepath.Base(path)
	at := strings.LastIndexByte(name, '-')
	s := entryFile{path: path, kind: name[:at], hash: name[at+1:]}.read()
	return !s.Begun.IsZero() || s.Note != ""
}

// isOld goes by the content. Where there is none, it goes by what a crash left
// of it, then by the lock file, which is as old as the entry's first opening.
func isOld(path string, before time.Time) bool {
	for _, name := range []string{path, path + tempSuffix, path + lockSuffix} {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return err == nil && info.ModTime().Before(before)
	}
	return false
}
