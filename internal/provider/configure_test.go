package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

//nolint:paralleltest // The directory comes from the environment.
func TestConfigure_warnsWhenTheJournalIsInMemoryOnly(t *testing.T) {
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	config := p.Config(p.Schemas.Provider, map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": "key-0123"})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for cache, want := range map[string]int{dir: 0, file: 1} {
		t.Setenv(message.EnvCacheDir, cache)
		resp, err := p.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
		if err != nil || len(resp.Diagnostics) != want {
			t.Fatalf("%v, and %d diagnostics for %s", err, len(resp.Diagnostics), cache)
		}
		for _, d := range resp.Diagnostics {
			if d.Severity != tfprotov6.DiagnosticSeverityWarning || d.Summary != "The journal is in memory only" || !strings.Contains(d.Detail, "not a directory. It is remembered") {
				t.Errorf("%s: %s", d.Summary, d.Detail)
			}
		}
	}
}

func TestConfigure_checksTheCoordinationURL(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for address, want := range map[string]struct{ summary, detail string }{
		"":                                   {"Invalid coordination URL", "it must be a URL such as postgres://"},
		"mysql://user:a-secret@127.0.0.1/db": {"Invalid coordination URL", "it must be a URL such as postgres://"},
		"postgres://user:a-secret@127.0.0.1/db?sslmode=perhaps":   {"Invalid coordination URL", "it is no usable PostgreSQL URL"},
		"postgres://user:a-secret@127.0.0.1:1/db?sslmode=disable": {"Coordination database cannot be used", "Nothing is issued, ordered, corrected, declared or rotated"},
	} {
		config := p.Config(p.Schemas.Provider, map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": "key-0123", "coordination_url": address})
		resp, err := p.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
		if err != nil || len(resp.Diagnostics) != 1 {
			t.Fatalf("%s: %v, and %d diagnostics", address, err, len(resp.Diagnostics))
		}
		d := resp.Diagnostics[0]
		if d.Summary != want.summary || !strings.Contains(d.Detail, want.detail) || strings.Contains(d.Detail, "a-secret") {
			t.Errorf("%s: %s: %s", address, d.Summary, d.Detail)
		}
		if invalid := want.summary == "Invalid coordination URL"; invalid != (d.Severity == tfprotov6.DiagnosticSeverityError) || invalid != (d.Attribute != nil) {
			t.Errorf("%s: %s on %s", address, d.Severity, d.Attribute)
		}
	}
}

func TestConfigure_namesWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, test := range map[string]struct {
		arguments    map[string]any
		at, contains string
	}{
		"a key with the end of its line": {map[string]any{"base_url": "https://host.example/v1", "api_key": "key-0123\n"}, "api_key", "without line ends"},
		"an address without a host":      {map[string]any{"base_url": "https:///v1", "api_key": "key-0123"}, "base_url", "https://host.example/v1"},
	} {
		resp, err := p.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: p.Config(p.Schemas.Provider, test.arguments)})
		if err != nil || len(resp.Diagnostics) != 1 {
			t.Fatalf("%s: %v, and %v", name, err, resp.Diagnostics)
		}
		testkit.WantErrorAt(t, p.Heard(resp.Diagnostics), test.at, test.contains)
	}
}

func TestValidate_warnsOfMoreRequestsThanTheServiceAllows(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, test := range map[string]struct {
		arguments map[string]any
		want      string
	}{
		"the whole limit":    {map[string]any{"requests_per_minute": 60, "requests_per_second": 5}, ""},
		"no pacing":          {map[string]any{"requests_per_minute": 0, "requests_per_second": 0}, ""},
		"too many a minute":  {map[string]any{"requests_per_minute": 100}, "`requests_per_minute` is 100, and the service allows 60 a minute"},
		"too many, by units": {map[string]any{"requests_per_second": 60}, "`requests_per_second` is 60, and the service allows 5 a second"},
	} {
		resp, err := p.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: p.Config(p.Schemas.Provider, test.arguments)})
		if err != nil || len(resp.Diagnostics) != min(1, len(test.want)) {
			t.Fatalf("%s: %v, and %v", name, err, resp.Diagnostics)
		}
		for _, d := range resp.Diagnostics {
			if d.Severity != tfprotov6.DiagnosticSeverityWarning || d.Attribute == nil || !strings.Contains(d.Detail, test.want) {
				t.Errorf("%s: %s: %s", name, d.Summary, d.Detail)
			}
		}
	}
}
