// Package testkit is the harness of the acceptance tests: [Main] for their TestMain, [Config] and [Factories] for
// terraform-plugin-testing, [NewAttached] for what a person types and reads, [NewWorkspace] for what only the built
// provider shows, and [Protocol] for all that needs no CLI: a step there takes milliseconds, and one of a CLI seconds.
// It imports the provider, so tests use it from outside of their package.
package testkit

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Live is the real account that the tests named TestAccLive use, when the environment names one.
var Live struct{ BaseURL, APIKey string }

// Main keeps the shared rate file and the journal of the tests away from those of the person who runs them.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "einvoice-test-cache")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	Live.BaseURL, Live.APIKey = os.Getenv(message.EnvBaseURL), os.Getenv(message.EnvAPIKey)
	for name, value := range map[string]string{
		message.EnvCacheDir: dir, message.EnvBaseURL: "", message.EnvAPIKey: "", message.EnvRequestsPerMinute: "",
		message.EnvRequestsPerSecond: "", message.EnvCoordinationURL: "",
		// CLIs and providers live for a second: collecting garbage is a third of their work.
		"GOGC": "off", "GOMEMLIMIT": "1GiB",
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	debug.SetGCPercent(400) // The sandboxes and providers of this process: a fifth of its work, too.
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// Factories serve the provider in process.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"einvoice": func() (tfprotov6.ProviderServer, error) { return ServedProvider(), nil },
	}
}

// Config is a configuration that talks to the sandbox as its main company,
// without pacing. Settings override or add provider arguments, one a line.
func Config(s *sandbox.Server, body string, settings ...string) string {
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

// ImportID joins attributes of a resource in state with slashes.
func ImportID(address string, attributes ...string) resource.ImportStateIdFunc {
	return func(state *terraform.State) (string, error) {
		found, ok := state.RootModule().Resources[address]
		if !ok {
			return "", fmt.Errorf("%s is not in state", address)
		}
		parts := make([]string, len(attributes))
		for i, name := range attributes {
			parts[i] = found.Primary.Attributes[name]
		}
		return strings.Join(parts, "/"), nil
	}
}
