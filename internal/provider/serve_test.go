package provider

import (
	"io"
	"log"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

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
	if log.Writer() != io.Discard {
		t.Error("net/http would write there what a service sends without having been asked")
	}
}
