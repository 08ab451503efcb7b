package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// look is the time between two readings of a process's memory. The system keeps the peak, so that only what comes
// after the last reading can be missed.
const look = 500 * time.Millisecond

// watch notes the peak memory of the providers that CLIs start, on Linux. Elsewhere it finds no process.
type watch struct{ peakKiB int }

// begin watches the processes that run the program, until the function it returns is called.
func (w *watch) begin(program string) (stop func()) {
	if w == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				w.look(program)
			}
		}
	}()
	return func() { close(done); <-ended }
}

func (w *watch) look(program string) {
	running, _ := filepath.Glob("/proc/[0-9]*/exe") // The pattern is good.
	for _, exe := range running {
		if path, err := os.Readlink(exe); err != nil || path != program {
			continue // Another's, or ended.
		}
		if status, err := os.ReadFile(filepath.Join(filepath.Dir(exe), "status")); err == nil {
			w.peakKiB = max(w.peakKiB, peak(string(status)))
		}
	}
}

// peak reads the peak resident size, in KiB, from a process's status; 0 where it has none.
func peak(status string) int {
	for line := range strings.Lines(status) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB")) // The kernel's own format.
			return kib
		}
	}
	return 0
}
