package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// configure is what the configuration of the provider with these arguments says.
func configure(p *testkit.Protocol, arguments map[string]any) []*tfprotov6.Diagnostic {
	config := p.Config(p.Schemas.Provider, arguments)
	return testkit.Answered(p.T, p.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{Config: config}).Diagnostics
}

//nolint:paralleltest // The directory comes from the environment.
func TestConfigure_warnsWhenTheJournalIsInMemoryOnly(t *testing.T) {
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	expect.NoError(t, os.WriteFile(file, nil, 0o600))
	for cache, want := range map[string]int{dir: 0, file: 1} {
		t.Setenv(message.EnvCacheDir, cache)
		said := configure(p, map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": "key-0123"})
		if len(said) != want {
			t.Fatalf("%d diagnostics for %s", len(said), cache)
		}
		for _, d := range said {
			if d.Severity != tfprotov6.DiagnosticSeverityWarning || d.Summary != "The journal is in memory only" || !strings.Contains(d.Detail, "not a directory. It keeps the journal in memory") {
				t.Errorf("%s: %s", d.Summary, d.Detail)
			}
		}
	}
}

func TestConfigure_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	const secret = "SECRET"
	for name, test := range rows.Read[map[string]struct {
		Arguments   map[string]any
		At, Want    string // the argument and a regular expression of the only message
		Warns, Late bool   // it is a warning; the argument is not known when the configuration is validated
	}](t, "configure_says_what_is_wrong.json") {
		rows.Case(t, name, func(t *testing.T) {
			all := map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": secret}
			maps.Copy(all, test.Arguments)
			config := p.Config(p.Schemas.Provider, all)
			said := testkit.Answered(t, p.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: config}).Diagnostics
			if len(said) == 0 || test.Late {
				said = testkit.Answered(t, testkit.ServedProvider().ConfigureProvider, &tfprotov6.ConfigureProviderRequest{Config: config}).Diagnostics
			}
			text := testkit.TextsOf(p.Heard(said))
			if len(said) != min(1, len(test.Want)) || !regexp.MustCompile("(?s)"+test.Want).MatchString(text) || strings.Contains(text, secret) {
				t.Fatalf("it says %q, want %q", text, test.Want)
			}
			for _, d := range said {
				where := ""
				if d.Attribute != nil {
					where = string(d.Attribute.Steps()[0].(tftypes.AttributeName))
				}
				expect.False(t, where != test.At || test.Warns != (d.Severity == tfprotov6.DiagnosticSeverityWarning),
					"the %s is at %q, want %q", d.Severity, where, test.At)
			}
		})
	}
}
