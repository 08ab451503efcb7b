package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

const (
	renameTries = 100
	renamePause = 10 * time.Millisecond
)

// errNotRegular is the error of a directory, a pipe or a device where a file should be.
var errNotRegular = errors.New("it is not a regular file")

// prepareFolder makes a folder that only this user may write to.
func prepareFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := checkOwner(path, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o700) // A folder that stays readable to others is better than no journal.
	}
	return nil
}

// create makes a new file in the place of whatever is at path. It never writes through a link.
func create(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
}

// readFile reads a regular file up to a limit, and never waits for the writer of a pipe.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if err := checkRegular(f.Stat()); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

func checkRegular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}

// lockAt returns the lock that is a regular file, which need not exist yet.
func lockAt(path string) (*flock.Flock, error) {
	if err := checkRegular(os.Lstat(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600)), nil
}

// lockFile waits for a lock.
func lockFile(ctx context.Context, path string, patience time.Duration) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return lockBy(ctx, path, (*flock.Flock).TryLockContext)
}

// lockBy waits for a lock that is taken by try, for one or for many.
func lockBy(
	ctx context.Context, path string, try func(*flock.Flock, context.Context, time.Duration) (bool, error),
) (*flock.Flock, error) {
	lock, err := lockAt(path)
	if err != nil {
		return nil, err
	}
	if _, err := try(lock, ctx, lockRetry); err != nil {
		return nil, err
	}
	return lock, nil
}

// rewriteFile replaces a document by what change makes of it: of nil where there is none, or of why it cannot be read.
// Of nil, or of the same, nothing is written. It is for who holds a lock.
func rewriteFile(path string, limit int64, change func(held []byte, err error) ([]byte, error)) error {
	held, err := readFile(path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		held, err = nil, nil
	}
	next, err := change(held, err)
	if err != nil || next == nil || bytes.Equal(next, held) {
		return err
	}
	return replaceFile(path, next, false)
}

// replaceFile writes a file in one step: a process that is killed meanwhile leaves the former content. A synced file
// outlives a loss of power.
func replaceFile(path string, content []byte, synced bool) error {
	temp := path + tempSuffix
	file, err := create(temp)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil && synced {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
	} else if synced {
		syncFolder(filepath.Dir(path))
	}
	return err
}

// rename tries again on Windows, where a file cannot be replaced while somebody reads it.
func rename(from, to string) (err error) {
	for range renameTries {
		if err = os.Rename(from, to); err == nil || runtime.GOOS != "windows" {
			break
		}
		<-time.After(renamePause)
	}
	return err
}

// syncFolder makes a rename outlive a loss of power. It returns no error: not every file system can do it, and the
// rename has succeeded.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
