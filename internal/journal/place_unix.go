//go:build unix

package journal

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow opens what is at a path itself, and a pipe without waiting.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// checkOwner refuses a folder into which somebody else could put a file: a false record, or a link to a file of this
// user.
func checkOwner(path string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("other users may write to %s; take that right away with chmod 700", path)
	}
	return nil
}
