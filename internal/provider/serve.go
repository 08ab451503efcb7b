package provider

import (
	"context"
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

	// GCPercent lets the heap grow to this percentage beyond what is in use before
	// it is collected. What is in use are a few MiB, and each call leaves half a MiB
	// of garbage behind, so that the usual 100 would collect after every few calls.
	GCPercent = 200
)

// Serve serves the provider to the CLI that started this process, or with debug
// to one that is told how to attach, until that is done.
func Serve(version string, debugging bool) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(GCPercent)
	}
	silenceStandardLog()
	var options []tf6server.ServeOpt
	life := &lifetime{}
	logging := true
	if debugging {
		options = append(options, tf6server.WithManagedDebug())
	} else if logging = logsAreWanted(os.Environ()); !logging {
		if err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_PROVIDER_EINVOICE", "off")); err != nil {
			return err
		}
	}
	if !debugging {
		go life.end()
	}
	return tf6server.Serve(RegistryAddress, func() tfprotov6.ProviderServer {
		return newServer(&einvoiceProvider{version: version, life: life}, logging)
	}, options...)
}

// silenceStandardLog is for net/http, which writes there what a service sends
// without having been asked, as it came.
func silenceStandardLog() { log.SetOutput(io.Discard) } //nolint:forbidigo // It writes nothing.

// NewServer is the provider as it is served; logging tells whether anybody reads
// what it logs.
func NewServer(version string, logging bool) tfprotov6.ProviderServer {
	return newServer(&einvoiceProvider{version: version, life: &lifetime{}}, logging)
}

// NewServerOver is the provider for tests that have a network of their own.
func NewServerOver(dial einvoice.Dial) tfprotov6.ProviderServer {
	return newServer(&einvoiceProvider{version: "test", life: &lifetime{}, dial: dial}, false)
}

func newServer(provider *einvoiceProvider, logging bool) tfprotov6.ProviderServer {
	return lightServer(providerserver.NewProtocol6(provider)(), logging)
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

// frameworkServer is what the framework's server implements of the protocol, as
// far as this provider uses it.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	tfprotov6.ListResourceServer
}

// light is the framework's server with contexts that weigh little. The framework
// keeps the context of every call until the process ends, in case the CLI tells
// it to stop, and with it all that the context leads to: the loggers of the call,
// their fields, the stream. That is some 15 KiB a call, and a plan makes four
// calls for each resource.
type light struct {
	frameworkServer
	logging bool
}

// lightServer falls back to the server itself, which costs memory.
func lightServer(server tfprotov6.ProviderServer, logging bool) tfprotov6.ProviderServer {
	if complete, ok := server.(frameworkServer); ok {
		return &light{frameworkServer: complete, logging: logging}
	}
	return server
}

// lightly makes a call with a context that ends with in but does not lead to it.
// The values of in are loggers, which are of use only when somebody reads them.
func lightly[Request, Response any](in context.Context, l *light, req Request, call func(context.Context, Request) (Response, error)) (Response, error) {
	base := context.Background() //nolint:contextcheck // It leads to nothing, which is the point.
	if l.logging {
		base = context.WithoutCancel(in)
	}
	ctx, cancel := context.WithCancel(base)
	defer cancel()
	defer context.AfterFunc(in, cancel)()
	response, err := call(ctx, req)
	if err == nil {
		placeMessages(response)
	}
	return response, err
}

func (l *light) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.ValidateResourceConfig)
}

func (l *light) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.UpgradeResourceState)
}

func (l *light) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.UpgradeResourceIdentity)
}

func (l *light) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.ReadResource)
}

func (l *light) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.PlanResourceChange)
}

func (l *light) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.ApplyResourceChange)
}

func (l *light) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.ValidateDataResourceConfig)
}

func (l *light) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.ReadDataSource)
}

func (l *light) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return lightly(ctx, l, req, l.frameworkServer.CallFunction)
}
