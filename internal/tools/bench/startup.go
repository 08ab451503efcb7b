package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// handshake is what a CLI says to a provider that it starts (specification of Terraform's plugin protocol).
var handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
	MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
}

// maxSchema is the largest schema that is read.
const maxSchema = 64 << 20

// connection is a provider as its bare connection.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this is a client")
}

func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

// startup measures the time from starting the provider to its schema.
func (b *bench) startup(ctx context.Context) (result, error) {
	var took []time.Duration
	for range b.sizes.starts {
		d, err := b.schemaOnce(ctx)
		if err != nil {
			return result{}, fmt.Errorf("asking the provider for its schema: %w", err)
		}
		took = append(took, d)
	}
	return result{
		what: "From the start of the provider to its schema", unit: "ms", target: mostStartup,
		measured: float64(median(took).Microseconds()) / 1000, shown: true,
		note: fmt.Sprintf("median of %d", len(took)),
	}, nil
}

// schemaOnce starts a provider as a CLI does, asks for its schema and ends it.
func (b *bench) schemaOnce(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.provider)
	cmd.Env = b.environ
	client := plugin.NewClient(&plugin.ClientConfig{
		Cmd: cmd, HandshakeConfig: handshake, VersionedPlugins: map[int]plugin.PluginSet{6: {"provider": connection{}}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, Logger: hclog.NewNullLogger(),
		GRPCDialOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxSchema))},
	})
	defer client.Kill()
	began := time.Now()
	rpc, err := client.Client()
	if err != nil {
		return 0, err
	}
	dispensed, err := rpc.Dispense("provider")
	if err != nil {
		return 0, err
	}
	provider, ok := dispensed.(*grpc.ClientConn)
	if !ok {
		return 0, fmt.Errorf("the provider is a %T", dispensed)
	}
	// The answer is not read, only kept as fields that nobody knows.
	var schema emptypb.Empty
	err = provider.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", &emptypb.Empty{}, &schema)
	took := time.Since(began)
	if err == nil && proto.Size(&schema) == 0 {
		err = errors.New("the schema is empty")
	}
	return took, err
}
