package e2e_test

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

// The addresses that the two CLIs look for.
const (
	terraformAddress = "registry.terraform.io/einvoice-br/einvoice"
	openTofuAddress  = "registry.opentofu.org/einvoice-br/einvoice"
)

// serveAttachable serves the provider in this process until the test ends, and
// returns the environment variable by which a CLI attaches to it. Runs with
// dozens of aliases would otherwise start dozens of processes, several times
// over.
func serveAttachable(t *testing.T) string {
	t.Helper()
	connections := &connections{t: t}
	reattach, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{ProtocolVersion: 6},
		Plugins: plugin.PluginSet{"provider": &tf6server.GRPCProviderPlugin{
			Name: terraformAddress, GRPCProvider: acctest.ServedProvider, Opts: []tf6server.ServeOpt{tf6server.WithLoggingSink(t)},
		}},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.StatsHandler(connections), grpc.UnaryInterceptor(connections.intercept))...)
		},
		Logger: hclog.NewNullLogger(),
		Test:   &plugin.ServeTestConfig{Context: t.Context(), ReattachConfigCh: reattach, CloseCh: closed},
	})
	config := <-reattach
	t.Cleanup(func() { <-closed }) // The context of the test has ended by then.

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
		t.Fatal(err)
	}
	return "TF_REATTACH_PROVIDERS=" + string(text)
}

// connections gives each connection of a CLI, which opens one for each provider
// configuration, a provider of its own: in one for all, the aliases would take
// over each other's configuration.
type connections struct {
	t       *testing.T
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

// intercept hands a call of the provider's protocol to the connection's server,
// and the others to the one that go-plugin serves. The type of a server is
// internal to its package, hence the reflection.
func (c *connections) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if path.Dir(info.FullMethod) != "/tfplugin6.Provider" {
		return handler(ctx, request)
	}
	key := ctx.Value(connectionKey{})
	server, known := c.servers.Load(key)
	if !known {
		server, _ = c.servers.LoadOrStore(key, tf6server.New(terraformAddress, acctest.ServedProvider(), tf6server.WithLoggingSink(c.t)))
	}
	method := reflect.ValueOf(server).MethodByName(path.Base(info.FullMethod))
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(request)})
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

// attachedWorkspace is a workspace whose CLI attaches to a served provider.
func attachedWorkspace(t *testing.T, found *cli.CLI, served string) *acctest.Workspace {
	t.Helper()
	config, err := cli.WriteEmptyConfig(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &acctest.Workspace{T: t, Cli: found, Dir: t.TempDir(), Environ: append(cli.Environ(os.Environ(), config), served)}
}
