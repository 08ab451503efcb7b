package main

import (
	"os"
	"runtime"
	"testing"
)

func TestPeak_readsTheStatusOfAProcess(t *testing.T) {
	t.Parallel()
	wantSame(t, 131_072, peak("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t  131072 kB\nVmRSS:\t 5 kB\n"), "the peak")
	wantSame(t, 0, peak("Name:\tkthreadd\n"), "a process without memory")
}

func TestWatch_seesAProcessByItsProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the peak memory of another process")
	}
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	seen, other := &watch{}, &watch{}
	seen.look(own)
	other.look(own + "-other")
	if seen.peakKiB < 1024 || other.peakKiB != 0 {
		t.Errorf("this process has a peak of %d KiB, another program one of %d", seen.peakKiB, other.peakKiB)
	}
	var none *watch
	none.begin(own)()
}
