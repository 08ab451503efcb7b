package main

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// What a CLI says to a provider that it starts (specification of Terraform's
// plugin protocol).
var pluginEnviron = []string{
	"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
	"PLUGIN_PROTOCOL_VERSIONS=6",
}

// maxSchema is the largest schema that is read.
const maxSchema = 64 << 20

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
		measured: float64(median(took).Microseconds()) / 1000, shown: true, note: fmt.Sprintf("median of %d", len(took)),
	}, nil
}

// schemaOnce starts a provider as a CLI does, asks for its schema and ends it.
func (b *bench) schemaOnce(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.provider)
	cmd.Env = append(b.environ, pluginEnviron...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Kill() // It has answered, or never will.
		_ = cmd.Wait()
	}()
	// 1|6|unix|/tmp/plugin|grpc|
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return 0, err
	}
	said := strings.Split(strings.TrimSpace(line), "|")
	if len(said) < 5 || said[4] != "grpc" {
		return 0, fmt.Errorf("it said %q", line)
	}
	target := "passthrough:///" + said[3]
	if said[2] == "unix" {
		target = "unix:" + said[3]
	}
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, err
	}
	defer func() { _ = connection.Close() }()
	var schema []byte
	err = connection.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", []byte{}, &schema,
		grpc.ForceCodec(untouched{}), grpc.MaxCallRecvMsgSize(maxSchema))
	took := time.Since(began)
	if err == nil && len(schema) == 0 {
		err = fmt.Errorf("the schema is empty")
	}
	return took, err
}

// untouched passes messages on without reading them.
type untouched struct{}

func (untouched) Name() string { return "untouched" }

func (untouched) Marshal(v any) ([]byte, error) {
	message, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("unexpected message %T", v)
	}
	return message, nil
}

func (untouched) Unmarshal(data []byte, v any) error {
	message, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("unexpected message %T", v)
	}
	*message = append([]byte(nil), data...)
	return nil
}
