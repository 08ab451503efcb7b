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

// configure is what the configuration of the provider with these arguments says.
func configure(p *testkit.Protocol, arguments map[string]any) []*tfprotov6.Diagnostic {
	config := p.Config(p.Schemas.Provider, arguments)
	return testkit.Answered(p.T, p.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{Config: config}).Diagnostics
}

// validate is what the validation of this configuration of the provider says.
func validate(p *testkit.Protocol, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
	request := &tfprotov6.ValidateProviderConfigRequest{Config: config}
	return testkit.Answered(p.T, p.ValidateProviderConfig, request).Diagnostics
}

//nolint:paralleltest // The directory comes from the environment.
func TestConfigure_warnsWhenTheJournalIsInMemoryOnly(t *testing.T) {
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for cache, want := range map[string]int{dir: 0, file: 1} {
		t.Setenv(message.EnvCacheDir, cache)
		said := configure(p, map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": "key-0123"})
		if len(said) != want {
			t.Fatalf("%d diagnostics for %s", len(said), cache)
		}
		for _, d := range said {
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
		arguments := map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": "k", "coordination_url": address}
		said := configure(p, arguments)
		if len(said) != 1 {
			t.Fatalf("%s: %d diagnostics", address, len(said))
		}
		d := said[0]
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
		said := p.Heard(configure(p, test.arguments))
		if len(said) != 1 {
			t.Fatalf("%s: %v", name, said)
		}
		testkit.WantErrorAt(t, said, test.at, test.contains)
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
		said := validate(p, p.Config(p.Schemas.Provider, test.arguments))
		if len(said) != min(1, len(test.want)) {
			t.Fatalf("%s: %v", name, said)
		}
		for _, d := range said {
			if d.Severity != tfprotov6.DiagnosticSeverityWarning || d.Attribute == nil || !strings.Contains(d.Detail, test.want) {
				t.Errorf("%s: %s: %s", name, d.Summary, d.Detail)
			}
		}
	}
}
