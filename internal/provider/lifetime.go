package provider

import (
	"cmp"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// parentInterval is how often the process looks whether its CLI is still there.
const parentInterval = time.Second

// lifetime ends a process after a SIGTERM, or when its CLI was killed. The journal needs the
// answer of an exchange in flight. So the process goes on for as long as one exchange may
// take; a second SIGTERM ends it at once.
type lifetime struct {
	timeout atomic.Int64 // request_timeout; 0 before it is known
}

// configured takes note of the request_timeout.
func (l *lifetime) configured(timeout time.Duration) { l.timeout.Store(int64(timeout)) }

// grace is how long an exchange in flight may take.
func (l *lifetime) grace() time.Duration {
	return cmp.Or(time.Duration(l.timeout.Load()), defaultRequestTimeout)
}

// end exits the process after the wait.
func (l *lifetime) end() {
	terminated := make(chan os.Signal, 2)
	signal.Notify(terminated, syscall.SIGTERM)
	l.wait(terminated, orphaned(os.Getppid()))
	os.Exit(1)
}

// wait returns when the process is to exit.
func (l *lifetime) wait(terminated <-chan os.Signal, orphaned <-chan struct{}) {
	select {
	case <-terminated:
	case <-orphaned:
	}
	grace := time.NewTimer(l.grace())
	defer grace.Stop()
	select {
	case <-terminated:
	case <-grace.C:
	}
}

// orphaned returns a channel that is closed when the parent is gone.
func orphaned(parent int) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for range time.Tick(parentInterval) {
			if !isParent(parent) {
				return
			}
		}
	}()
	return gone
}

// isParent reports whether a process that was the parent still is. An orphan gets another
// parent, except on Windows, where a process that ended cannot be opened.
func isParent(parent int) bool {
	if runtime.GOOS != "windows" {
		return os.Getppid() == parent
	}
	process, err := os.FindProcess(parent)
	if err != nil {
		return false
	}
	_ = process.Release()
	return true
}
