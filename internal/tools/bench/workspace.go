package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// patience is how long an interrupted CLI has for ending by itself.
const patience = 45 * time.Second

// workspace is a directory with a configuration and a state, and the service that it uses.
type workspace struct {
	bench   *bench
	service *sandbox.Server
	dir     string
	environ []string
	watch   *watch        // of the memory of its providers; nil for none
	cpu     time.Duration // processor time of the last run: the CLI and its provider
}

// workspace makes one that uses s. Its own cache directory stands for a machine of its own. Later settings win.
func (b *bench) workspace(s *sandbox.Server, config string, settings ...string) (*workspace, error) {
	b.spaces++
	w := &workspace{bench: b, service: s, dir: filepath.Join(b.dir, fmt.Sprintf("workspace-%d", b.spaces))}
	w.environ = append(slices.Clone(b.environ), "EINVOICE_CACHE_DIR="+w.cache(),
		"EINVOICE_BASE_URL="+s.BaseURL(), "EINVOICE_API_KEY="+s.OwnerKey())
	w.environ = append(w.environ, settings...)
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, err
	}
	return w, w.write(config)
}

// noLimits turns the pacing off.
var noLimits = []string{"EINVOICE_REQUESTS_PER_MINUTE=0", "EINVOICE_REQUESTS_PER_SECOND=0"}

// unlimited makes a service with these options and a workspace that paces no request, and ends the service after use.
func (b *bench) unlimited(
	options sandbox.Options, config string, use func(*workspace) ([]result, error),
) ([]result, error) {
	s, err := serve(options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	w, err := b.workspace(s, config, noLimits...)
	if err != nil {
		return nil, err
	}
	return use(w)
}

func serve(options sandbox.Options) (*sandbox.Server, error) {
	s := sandbox.New(options)
	return s, s.Listen("127.0.0.1:0")
}

// cache is the directory by which the runs of one machine share the limit.
func (w *workspace) cache() string { return filepath.Join(w.dir, "cache") }

const requiredProviders = `terraform {
  required_providers {
    einvoice = {
      source = "einvoice-br/einvoice"
    }
  }
}
`

// write replaces the configuration.
func (w *workspace) write(body string) error {
	return os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(requiredProviders+body), 0o600)
}

// The commands that are measured never ask, and a plan that is not empty is an error.
var (
	apply = []string{"apply", "-auto-approve", "-no-color", "-input=false"}
	plan  = []string{"plan", "-detailed-exitcode", "-no-color", "-input=false"}
)

// run runs the CLI and returns how long it took.
func (w *workspace) run(ctx context.Context, command []string, more ...string) (time.Duration, error) {
	args := slices.Concat(command, more)
	cmd := exec.CommandContext(ctx, w.bench.cli.Path, args...)
	var output bytes.Buffer
	cmd.Dir, cmd.Env = w.dir, w.environ
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cli.Interrupt(cmd) }
	cmd.WaitDelay = patience
	stop := w.watch.begin(w.bench.provider)
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	stop()
	if cmd.ProcessState != nil {
		w.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if ctx.Err() != nil {
		return took, ctx.Err()
	}
	if err != nil {
		return took, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, &output)
	}
	return took, nil
}

// count runs the CLI and returns how many requests it sent, and which, as "2 GET /customers/{id}".
func (w *workspace) count(ctx context.Context, command []string, more ...string) (float64, string, error) {
	w.service.ResetRequests()
	if _, err := w.run(ctx, command, more...); err != nil {
		return 0, "", err
	}
	counts := map[string]int{}
	requests := w.service.Requests()
	for _, r := range requests {
		_, path, _ := strings.Cut(w.service.RouteOf(r.Method, r.Path), " ")
		counts[r.Method+" "+strings.TrimPrefix(path, "/v1")]++
	}
	var said []string
	for _, request := range slices.Sorted(maps.Keys(counts)) {
		said = append(said, fmt.Sprintf("%d `%s`", counts[request], request))
	}
	return float64(len(requests)), strings.Join(said, ", "), nil
}
