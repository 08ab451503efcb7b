package provider

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

const (
	// RegistryAddress names the provider to the CLI.
	RegistryAddress = "registry.terraform.io/einvoice-br/einvoice"

	// GCPercent lets the heap grow to this percentage beyond what is in use before it is
	// collected. What is in use are a few MiB, and each call leaves half a MiB of garbage
	// behind, so that the usual 100 would collect after every few calls.
	GCPercent = 200
)

// Serve serves the provider to the CLI that started this process, or with debug
// to one that is told how to attach, until that is done.
func Serve(version string, debugging bool) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(GCPercent)
	}
	silenceStandardLog()
	life := &lifetime{}
	if !debugging {
		if !logsAreWanted(os.Environ()) {
			if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_PROVIDER_EINVOICE", "off")); err != nil {
				return err
			}
		}
		go life.end()
	}
	serve := func() provider.Provider { return &einvoiceProvider{version: version, life: life} }
	return providerserver.Serve(context.Background(), serve,
		providerserver.ServeOpts{Address: RegistryAddress, Debug: debugging, ProtocolVersion: 6})
}

// silenceStandardLog is for net/http, which writes there what a service sends
// without having been asked, as it came.
func silenceStandardLog() { log.SetOutput(io.Discard) } //nolint:forbidigo // It writes nothing.

// NewServer is the provider for tests. dial is nil where they use the machine's network,
// and cache is "" where they use the machine's directory.
func NewServer(dial einvoice.Dial, cache string) tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(&einvoiceProvider{version: "test", life: &lifetime{}, dial: dial, cache: cache})()
}

// logsAreWanted tells whether the CLI shows anything that the provider logs. It
// is not asked: unless told otherwise, the plugin SDK writes every step of every
// call as JSON, and the CLI parses each line and throws it away. For a thousand
// resources that is more work than all the rest.
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
