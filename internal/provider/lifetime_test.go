package provider

import (
	"io"
	"log"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
		rows.Case(t, name, func(t *testing.T) {
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
				expect.Is(t, time.Since(begin), test.want, "it ends after")
			})
		})
	}
}

func TestLogsAreWanted(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Environ []string
		Want    bool
	}](t, "logs_are_wanted.json") {
		expect.Is(t, logsAreWanted(test.Environ), test.Want, "%s: got", name)
	}
}

//nolint:paralleltest,forbidigo // There is one standard log.
func TestSilenceStandardLog(t *testing.T) {
	before := log.Writer()
	defer log.SetOutput(before)
	silenceStandardLog()
	expect.False(t, log.Writer() != io.Discard,
		"net/http would write there what a service sends without having been asked")
}
