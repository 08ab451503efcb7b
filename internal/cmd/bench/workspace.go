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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// patience is how long an interrupted CLI has for ending by itself.
const patience = 45 * time.Second

// workspace is a directory with a configuration and a state.
type workspace struct {
	bench   *bench
	dir     string
	environ []string
	watch   *watch // of the memory of its providers; nil for none
}

// noLimits turns the pacing off.
var noLimits = []string{"EINVOICE_REQUESTS_PER_MINUTE=0", "EINVOICE_REQUESTS_PER_SECOND=0"}

// workspace makes one that uses s, with a cache directory of its own, which
// stands for a machine of its own. Later settings win.
func (b *bench) workspace(s *sandbox.Server, settings ...string) (*workspace, error) {
	b.spaces++
	w := &workspace{bench: b, dir: filepath.Join(b.dir, fmt.Sprintf("workspace-%d", b.spaces))}
	w.environ = append(slices.Clone(b.environ), "EINVOICE_CACHE_DIR="+w.cache())
	if s != nil {
		w.environ = append(w.environ, "EINVOICE_BASE_URL="+s.BaseURL(), "EINVOICE_API_KEY="+s.OwnerKey())
	}
	w.environ = append(w.environ, settings...)
	return w, os.MkdirAll(w.dir, 0o700)
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

// write replaces the configuration. One of the CLI's own resources alone does not
// ask for the provider, so that it is not started.
func (w *workspace) write(body string) error {
	if body == "" || strings.Contains(body, "einvoice_") {
		body = requiredProviders + body
	}
	return os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(body), 0o600)
}

// run runs the CLI and returns how long it took.
func (w *workspace) run(ctx context.Context, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, w.bench.cli.Path, append(args, "-no-color", "-input=false")...)
	var output bytes.Buffer
	cmd.Dir, cmd.Env = w.dir, w.environ
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	stop := w.watch.begin(w.bench.provider)
	err := cmd.Wait()
	took := time.Since(began)
	stop()
	if ctx.Err() != nil {
		return took, ctx.Err()
	}
	if err != nil {
		return took, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, tail(output.String(), 60))
	}
	return took, nil
}

// tail returns the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// apply and plan never ask. A plan that is not empty is an error.
func (w *workspace) apply(ctx context.Context, more ...string) (time.Duration, error) {
	return w.run(ctx, append([]string{"apply", "-auto-approve"}, more...)...)
}

func (w *workspace) plan(ctx context.Context, more ...string) (time.Duration, error) {
	return w.run(ctx, append([]string{"plan", "-detailed-exitcode"}, more...)...)
}

// counted runs f and returns how many requests arrived meanwhile, and which, as
// "2 GET /customers/{id}".
func counted(s *sandbox.Server, f func() error) (int, string, error) {
	s.ResetRequests()
	err := f()
	counts := map[string]int{}
	all := s.Requests()
	for _, r := range all {
		segments := strings.Split(strings.TrimPrefix(r.Path, "/v1"), "/")
		for i, segment := range segments {
			if strings.Count(segment, "-") == 4 {
				segments[i] = "{id}"
			}
		}
		counts[r.Method+" "+strings.Join(segments, "/")]++
	}
	var said []string
	for _, request := range slices.Sorted(maps.Keys(counts)) {
		said = append(said, fmt.Sprintf("%d `%s`", counts[request], request))
	}
	return len(all), strings.Join(said, ", "), err
}

// serve starts a service.
func serve(options sandbox.Options) (*sandbox.Server, error) {
	s := sandbox.New(options)
	if err := s.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	return s, nil
}
