package provider

import (
	"io"
	"log"
	"testing"
)

func TestLogsAreWanted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environ []string
		want    bool
	}{
		"no variable":                     {environ: []string{"PATH=/bin", "EINVOICE_API_KEY=k"}},
		"empty":                           {environ: []string{"TF_LOG="}},
		"switched off":                    {environ: []string{"TF_LOG=OFF", "TF_LOG_PROVIDER=off"}},
		"a place for logs, but no logs":   {environ: []string{"TF_LOG_PATH=/tmp/log"}},
		"logs of the CLI alone":           {environ: []string{"TF_LOG_CORE=trace"}},
		"all logs":                        {environ: []string{"TF_LOG=debug"}, want: true},
		"logs of providers":               {environ: []string{"TF_LOG_CORE=off", "TF_LOG_PROVIDER=info"}, want: true},
		"logs of this provider":           {environ: []string{"TF_LOG_PROVIDER_EINVOICE=info"}, want: true},
		"logs of the SDK":                 {environ: []string{"TF_LOG_SDK_PROTO=trace"}, want: true},
		"something that is named alike":   {environ: []string{"TF_LOGIN=1"}},
		"all logs, and a place for them":  {environ: []string{"TF_LOG=json", "TF_LOG_PATH=/tmp/log"}, want: true},
		"the protocol's data, in a place": {environ: []string{"TF_LOG_SDK_PROTO_DATA_DIR=/tmp/data"}, want: true},
	} {
		if got := logsAreWanted(test.environ); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
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
