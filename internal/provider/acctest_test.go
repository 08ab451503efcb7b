package provider

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// TestMain keeps the shared rate file and the journal of the tests away from
// those of the person who runs them.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "einvoice-test-cache")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for name, value := range map[string]string{envCacheDir: dir, envBaseURL: "", envAPIKey: "", envRequestsPerMinute: "", envRequestsPerSecond: ""} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// testFactories serve the provider in process.
func testFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"einvoice": providerserver.NewProtocol6WithError(New("test")()),
	}
}

// configFor is a configuration that talks to the sandbox as its main company,
// without pacing. Settings override or add provider arguments, one a line.
func configFor(s *sandbox.Server, body string, settings ...string) string {
	arguments := map[string]string{
		"base_url": fmt.Sprintf("%q", s.BaseURL()), "api_key": fmt.Sprintf("%q", s.OwnerKey()),
		"requests_per_minute": "0", "requests_per_second": "0",
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		arguments[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	var block strings.Builder
	for name, value := range arguments {
		fmt.Fprintf(&block, "  %s = %s\n", name, value)
	}
	return fmt.Sprintf(`
terraform {
  required_providers {
    einvoice = {
      source = "einvoice-br/einvoice"
    }
  }
}

provider "einvoice" {
%s}

%s
`, block.String(), body)
}

// countWrites counts the requests that change something at the service.
func countWrites(s *sandbox.Server) int {
	return s.Count("POST", "") + s.Count("PUT", "") + s.Count("DELETE", "")
}
