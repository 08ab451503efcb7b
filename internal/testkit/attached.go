package testkit

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
)

// The addresses that the two CLIs look for.
const (
	terraformAddress = provider.RegistryAddress
	openTofuAddress  = "registry.opentofu.org/einvoice-br/einvoice"
)

// NewAttached writes config into a directory of its own, where the CLI attaches to
// the provider in this process. A CLI starts a provider several times for each
// command, and each start costs more than all else that the command does.
//
// Of the environment of the workspace this provider knows the cache directory and
// attachedSettings alone. What is about processes, signals, logs, two runs at once, an
// action or a list resource needs NewWorkspace.
func NewAttached(t *testing.T, config string) *Workspace {
	t.Helper()
	w := (&Workspace{T: t, Cli: MustFindCLI(t), Dir: t.TempDir(), Environ: os.Environ()}).Attached()
	w.Write(config)
	return w
}

// Attached is the same directory, with the environment that it has by now, where the CLI
// attaches to the provider in this process.
func (w *Workspace) Attached() *Workspace {
	w.T.Helper()
	configFile, err := cli.WriteEmptyConfig(w.T.TempDir())
	if err != nil {
		w.T.Fatal(err)
	}
	other := *w
	other.Environ = cli.Environ(w.Environ, configFile)
	other.Environ = append(other.Environ, other.serve())
	return &other
}

// serve serves the provider until the test ends, and returns the environment variable by which a CLI attaches to it.
func (w *Workspace) serve() string {
	w.T.Helper()
	connections := &connections{w: w}
	reattach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{ProtocolVersion: 6},
		Plugins: plugin.PluginSet{"provider": &tf6server.GRPCProviderPlugin{
			Name:         terraformAddress,
			GRPCProvider: ServedProvider,
			Opts:         []tf6server.ServeOpt{tf6server.WithLoggingSink(w.T)},
		}},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(
				append(options, grpc.StatsHandler(connections), grpc.UnaryInterceptor(connections.intercept))...)
		},
		Logger: hclog.NewNullLogger(),
		Test:   &plugin.ServeTestConfig{Context: w.T.Context(), ReattachConfigCh: reattach, CloseCh: closed},
	})
	config := <-reattach
	w.T.Cleanup(func() { <-closed }) // The context of the test has ended by then.

	type address struct{ Network, String string }
	served := struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
		Addr            address
	}{string(config.Protocol), 6, os.Getpid(), true, address{config.Addr.Network(), config.Addr.String()}}
	text, err := json.Marshal(map[string]any{terraformAddress: served, openTofuAddress: served})
	if err != nil {
		w.T.Fatal(err)
	}
	return "TF_REATTACH_PROVIDERS=" + string(text)
}

// connections gives each connection of a CLI, which opens one for each provider configuration, a provider of its own:
// in one for all, the aliases would take over each other's configuration.
type connections struct {
	w       *Workspace
	last    atomic.Int64
	servers sync.Map
}

type connectionKey struct{}

func (c *connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return context.WithValue(ctx, connectionKey{}, c.last.Add(1))
}

func (c *connections) HandleConn(ctx context.Context, event stats.ConnStats) {
	if _, ended := event.(*stats.ConnEnd); ended {
		c.servers.Delete(ctx.Value(connectionKey{}))
	}
}

func (c *connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (c *connections) HandleRPC(context.Context, stats.RPCStats) {}

// intercept hands a call of the provider's protocol to the connection's server, and the others to the one that
// go-plugin serves. The type of a server is internal to its package, hence the reflection.
func (c *connections) intercept(
	ctx context.Context,
	request any,
	info *grpc.UnaryServerInfo,
	handler grpc.UnaryHandler,
) (any, error) {
	if path.Dir(info.FullMethod) != "/tfplugin6.Provider" {
		return handler(ctx, request)
	}
	key := ctx.Value(connectionKey{})
	server, known := c.servers.Load(key)
	if !known {
		served := &attached{ProviderServer: provider.NewServer(c.w.dial, c.w.variable(message.EnvCacheDir)), w: c.w}
		server, _ = c.servers.LoadOrStore(
			key,
			tf6server.New(terraformAddress, served, tf6server.WithLoggingSink(c.w.T)),
		)
	}
	method := reflect.ValueOf(server).MethodByName(path.Base(info.FullMethod))
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(request)})
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

// attached is the provider of a connection.
type attached struct {
	tfprotov6.ProviderServer

	w *Workspace
}

// attachedSettings are the arguments that may come from the environment.
var attachedSettings = map[string]string{
	"base_url": message.EnvBaseURL, "api_key": message.EnvAPIKey,
	"coordination_url":    message.EnvCoordinationURL,
	"requests_per_minute": message.EnvRequestsPerMinute, "requests_per_second": message.EnvRequestsPerSecond,
}

// ConfigureProvider takes what the configuration leaves open from the environment of
// the workspace, as a process does that the CLI starts there.
func (a *attached) ConfigureProvider(
	ctx context.Context,
	req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	of := servedSchemas().Provider.ValueType()
	config, err := req.Config.Unmarshal(of)
	if err != nil {
		return nil, err
	}
	var arguments map[string]tftypes.Value
	if err := config.As(&arguments); err != nil {
		return nil, err
	}
	for name, variable := range attachedSettings {
		text := a.w.variable(variable)
		if text == "" || !arguments[name].IsNull() {
			continue
		}
		var value any = text
		if arguments[name].Type().Is(tftypes.Number) {
			if value, err = strconv.Atoi(text); err != nil {
				return nil, err
			}
		}
		arguments[name] = tftypes.NewValue(arguments[name].Type(), value)
	}
	given, err := tfprotov6.NewDynamicValue(of, tftypes.NewValue(of, arguments))
	if err != nil {
		return nil, err
	}
	req.Config = &given
	return a.ProviderServer.ConfigureProvider(ctx, req)
}

// variable is what a command in the workspace finds in its environment.
func (w *Workspace) variable(name string) string {
	value := ""
	for _, entry := range w.Environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text // The last one counts.
		}
	}
	return value
}
