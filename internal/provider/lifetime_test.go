package provider

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestLifetime_endsAfterItsGrace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		timeout time.Duration
		signals int // before the wait
		orphan  bool
		want    time.Duration
	}{
		"terminated before any configuration": {signals: 1, want: defaultRequestTimeout},
		"terminated":                          {timeout: 10 * time.Second, signals: 1, want: 10 * time.Second},
		"the parent is gone":                  {timeout: 10 * time.Second, orphan: true, want: 10 * time.Second},
		"terminated twice":                    {timeout: 10 * time.Second, signals: 2, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				life := &lifetime{}
				if test.timeout > 0 {
					life.configured(test.timeout)
				}
				terminated, orphaned := make(chan os.Signal, 2), make(chan struct{})
				for range test.signals {
					terminated <- syscall.SIGTERM
				}
				if test.orphan {
					close(orphaned)
				}
				begin := time.Now()
				life.wait(terminated, orphaned)
				if took := time.Since(begin); took != test.want {
					t.Errorf("it ends after %s, want %s", took, test.want)
				}
			})
		})
	}
}
