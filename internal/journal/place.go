package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// errNotRegular is of a directory, a pipe or a device where a file should be.
var errNotRegular = errors.New("it is not a regular file")

// Check reports why the directory cannot be used: entries then live in memory
// alone.
func (f *Files) Check() error {
	if f.dir == "" {
		return errors.New("this machine has no directory for caches")
	}
	path := filepath.Join(f.dir, folder)
	if err := prepareFolder(path); err != nil {
		return err
	}
	file, err := os.CreateTemp(path, "check-*"+tempSuffix)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// prepareFolder makes a folder of the store, and the store's directory when that is
// the folder above it.
func prepareFolder(path string) error {
	if filepath.Base(path) == folder {
		if err := prepareFolder(filepath.Dir(path)); err != nil {
			return err
		}
	}
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
		// A folder made by hand may be open to others. That it cannot be closed
		// is no reason to remember nothing.
		_ = os.Chmod(path, 0o700)
	}
	return nil
}

// create makes a file anew. Whatever is at path is taken away, and nothing that
// comes there meanwhile is written through.
func create(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
}

// openRegular opens a regular file for reading, and never waits for the writer of a pipe.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(f.Stat()); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func checkRegular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}

// newLock is a lock on a regular file, which need not exist yet.
func newLock(path string) (*flock.Flock, error) {
	if err := checkRegular(os.Lstat(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600)), nil
}
