//go:build !unix

package journal

import (
	"errors"
	"io/fs"
	"os"
)

const noFollow = 0

// checkOwner is for the permissions of Unix.
func checkOwner(string, fs.FileInfo) error { return nil }

// checkWritable writes, as the system cannot be asked.
func checkWritable(folder string) error {
	f, err := os.CreateTemp(folder, "check-*"+tempSuffix)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
