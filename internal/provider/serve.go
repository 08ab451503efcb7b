package provider

import (
	"errors"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

const (
	// RegistryAddress names the provider to the CLI.
	RegistryAddress = "registry.terraform.io/einvoice-br/einvoice"

	// GCPercent is how much the heap may grow before it is collected. A few MiB are in use,
	// and each call leaves half a MiB of garbage, so that 100 would collect every few calls.
	GCPercent = 200
)

// Serve serves the provider until its CLI is done: the one that started this process, or
// with debugging one that attaches.
func Serve(version string, debugging bool) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(GCPercent)
	}
	silenceStandardLog()
	life := &lifetime{}
	if !debugging {
		if !logsAreWanted(os.Environ()) {
			err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_PROVIDER_EINVOICE", "off"))
			if err != nil {
				return err
			}
		}
		go life.end()
	}
	serve := func() tfprotov6.ProviderServer {
		return speak(providerserver.NewProtocol6(&einvoiceProvider{version: version, life: life})())
	}
	var options []tf6server.ServeOpt
	if debugging {
		options = append(options, tf6server.WithManagedDebug())
	}
	return tf6server.Serve(RegistryAddress, serve, options...)
}

// silenceStandardLog drops what net/http logs there: unsolicited bytes of a service, as they
// came.
func silenceStandardLog() { log.SetOutput(io.Discard) } //nolint:forbidigo // It writes nothing.

// NewServer is the provider for tests. dial is nil where they use the machine's network,
// and cache is "" where they use the machine's directory.
func NewServer(dial einvoice.Dial, cache string) tfprotov6.ProviderServer {
	tested := &einvoiceProvider{version: "test", life: &lifetime{}, dial: dial, cache: cache}
	return speak(providerserver.NewProtocol6(tested)())
}

// logsAreWanted reports whether the CLI shows any log of the provider. Otherwise the plugin
// SDK writes every step of every call as JSON, and the CLI parses each line and drops it:
// for a thousand resources that is more work than all the rest.
func logsAreWanted(environ []string) bool {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case name == "TF_LOG_PATH", name == "TF_LOG_CORE", value == "", strings.EqualFold(value, "off"):
		case name == "TF_LOG", strings.HasPrefix(name, "TF_LOG_"):
			return true
		}
	}
	return false
}
