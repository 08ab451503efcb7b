package provider

import (
	"context"
	"io"
	"log"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := logsAreWanted(test.environ); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

type contextKey struct{}

// The framework alone keeps what a context leads to.
func TestServer_keepsNothingOfTheCallsThatAreOver(t *testing.T) {
	t.Parallel()
	server := lightServer(NewServer("test", true), false)
	call := func() weak.Pointer[[1 << 10]byte] {
		value := new([1 << 10]byte)
		ctx := context.WithValue(t.Context(), contextKey{}, value)
		resp, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: "einvoice_customer", Config: nullConfig(t, server)})
		if err != nil || resp == nil {
			t.Fatalf("got %v, %v", resp, err)
		}
		return weak.Make(value)
	}
	kept := call()
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the context of a call that is over is still reachable")
	}
	runtime.KeepAlive(server)
}

func nullConfig(t *testing.T, server tfprotov6.ProviderServer) *tfprotov6.DynamicValue {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	of := schemas.ResourceSchemas["einvoice_customer"].ValueType()
	config, err := tfprotov6.NewDynamicValue(of, tftypes.NewValue(of, nil))
	if err != nil {
		t.Fatal(err)
	}
	return &config
}

func TestServer_endsACallWithItsContext(t *testing.T) {
	t.Parallel()
	for name, logging := range map[string]bool{"with logs": true, "without logs": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, cancel := context.WithCancel(context.WithValue(t.Context(), contextKey{}, "logger"))
			_, err := lightly(in, &light{logging: logging}, "request", func(ctx context.Context, _ string) (string, error) {
				if value := ctx.Value(contextKey{}); (value != nil) != logging {
					t.Errorf("the context has the value %v", value)
				}
				cancel()
				<-ctx.Done()
				return "", ctx.Err()
			})
			if err == nil {
				t.Error("the context has no error")
			}
		})
	}
}

func TestServer_servesActionsAndLists(t *testing.T) {
	t.Parallel()
	server := lightServer(NewServer("test", true), false)
	if _, ok := server.(tfprotov6.ActionServer); !ok {
		t.Error("it serves no actions")
	}
	if _, ok := server.(tfprotov6.ListResourceServer); !ok {
		t.Error("it serves no list resources")
	}
	if _, ok := server.(*light); !ok {
		t.Error("it is the framework's server itself")
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
