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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
	const secret = "a-secret-0123456789"
	type arguments = map[string]any
	keys := func(keys any) arguments { return arguments{"company_keys": keys} }
	at := func(address string) arguments { return arguments{"coordination_url": address} }
	const noURL, noDatabase = "Invalid coordination URL: .*must be a URL such as postgres://", "Coordination database cannot be used: .*Nothing is issued, ordered, corrected, declared or rotated"
	for name, test := range map[string]struct {
		arguments arguments
		at, want  string // the argument and a regular expression of the only error
		warns     bool   // it is a warning
		late      bool   // the argument is not known when the configuration is validated
	}{
		"nothing":                        {},
		"a key with the end of its line": {arguments{"api_key": secret + "\n"}, "api_key", "without line ends", false, false},
		"an address without a host":      {arguments: arguments{"base_url": "https:///v1"}, at: "base_url", want: "https://host.example/v1", late: true},

		"no companies":                      {arguments: keys(arguments{})},
		"unknown companies":                 {arguments: keys(tftypes.UnknownValue)},
		"a CNPJ and a CPF":                  {arguments: keys(arguments{"11.222.333/0001-81": secret, "529.982.247-25": secret})},
		"keys that cannot be used":          {arguments: keys(arguments{fixture.BranchNumber: tftypes.UnknownValue, fixture.OtherNumber: "", fixture.MainNumber: nil})},
		"a company with wrong check digits": {keys(arguments{"11222333000182": secret}), "company_keys", "Wrong number in company_keys.*should be 81", true, false},
		"a company in two spellings":        {keys(arguments{"11.222.333/0001-81": secret, "11222333000181": secret + "x"}), "company_keys", "One company twice.*11222333000181", false, false},
		"a company without a number":        {keys(arguments{"branch": secret}), "company_keys", `Invalid tax number.*of 6 characters.*not shown`, false, false},
		"a key that no header takes":        {keys(arguments{fixture.BranchNumber: secret + "\n"}), "company_keys", "Invalid API key of company " + fixture.BranchNumber, false, false},

		"no database":               {at(""), "coordination_url", noURL, false, false},
		"another database":          {at("mysql://user:" + secret + "@127.0.0.1/db"), "coordination_url", noURL, false, false},
		"an option that is unknown": {at("postgres://user:" + secret + "@127.0.0.1/db?sslmode=perhaps"), "coordination_url", "it is no usable PostgreSQL URL", false, false},
		"a database that is down":   {at("postgres://user:" + secret + "@127.0.0.1:1/db?sslmode=disable"), "", noDatabase, true, false},

		"the whole limit":    {arguments: arguments{"requests_per_minute": 60, "requests_per_second": 5}},
		"no pacing":          {arguments: arguments{"requests_per_minute": 0, "requests_per_second": 0}},
		"too many a minute":  {arguments{"requests_per_minute": 100}, "requests_per_minute", "`requests_per_minute` is 100, and the service allows 60 a minute", true, false},
		"too many, by units": {arguments{"requests_per_second": 60}, "requests_per_second", "`requests_per_second` is 60, and the service allows 5 a second", true, false},
	} {
		rows.Case(t, name, func(t *testing.T) {
			all := arguments{"base_url": "http://127.0.0.1:1/v1", "api_key": secret}
			maps.Copy(all, test.arguments)
			config := p.Config(p.Schemas.Provider, all)
			said := testkit.Answered(t, p.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: config}).Diagnostics
			if len(said) == 0 || test.late {
				said = testkit.Answered(t, testkit.ServedProvider().ConfigureProvider, &tfprotov6.ConfigureProviderRequest{Config: config}).Diagnostics
			}
			text := testkit.TextsOf(p.Heard(said))
			if len(said) != min(1, len(test.want)) || !regexp.MustCompile("(?s)"+test.want).MatchString(text) || strings.Contains(text, secret) {
				t.Fatalf("it says %q, want %q", text, test.want)
			}
			for _, d := range said {
				where := ""
				if d.Attribute != nil {
					where = string(d.Attribute.Steps()[0].(tftypes.AttributeName))
				}
				if where != test.at || test.warns != (d.Severity == tfprotov6.DiagnosticSeverityWarning) {
					t.Errorf("the %s is at %q, want %q", d.Severity, where, test.at)
				}
			}
		})
	}
}
