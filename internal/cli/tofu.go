package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	tofuModule  = "github.com/opentofu/opentofu"
	tofuCommand = tofuModule + "/cmd/tofu"

	// lockRetry is how often a run that waits for another one's build looks again.
	lockRetry = 500 * time.Millisecond

	// progressEvery is how often a long build says that it is still under way.
	progressEvery = 30 * time.Second
)

// buildTofu returns the OpenTofu of internal/tools/tofu, built into the user's cache directory when it is not there
// yet.
func buildTofu(ctx context.Context, progress io.Writer) (*CLI, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	source := filepath.Join(root, "internal", "tools", "tofu")
	version, err := tofuVersion(ctx, source)
	if err != nil {
		return nil, err
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding a directory to keep OpenTofu in: %w", err)
	}
	return builder{
		path:     filepath.Join(caches, "terraform-provider-einvoice", "tofu-"+version, "tofu"+executableSuffix()),
		name:     "OpenTofu " + version,
		progress: progress,
		every:    progressEvery,
		compile:  func(ctx context.Context, out string) error { return compileTofu(ctx, source, out) },
	}.ensure(ctx)
}

// tofuVersion reads which OpenTofu the module in dir requires, as "v1.12.6".
func tofuVersion(ctx context.Context, dir string) (string, error) {
	gomod := filepath.Join(dir, "go.mod")
	out, err := exec.CommandContext(ctx, "go", "mod", "edit", "-json", gomod).Output()
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", gomod, err)
	}
	var file struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &file); err != nil {
		return "", fmt.Errorf("reading %s: %w", gomod, err)
	}
	for _, required := range file.Require {
		if required.Path == tofuModule {
			return required.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", gomod, tofuModule)
}

// compileTofu builds OpenTofu the way its own releases are built: without cgo, and without the "-dev" that would
// otherwise follow its version.
func compileTofu(ctx context.Context, source, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X "+tofuModule+"/version.dev=no", "-o", out, tofuCommand)
	cmd.Dir = source
	cmd.Env = hostBuildEnviron(os.Environ())
	cmd.Cancel = func() error { return Interrupt(cmd) }
	cmd.WaitDelay = 10 * time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, lastLines(output.String(), 40))
	}
	return nil
}

// hostBuildEnviron is base without what would build for another machine or with other modules than the committed ones.
func hostBuildEnviron(base []string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GOOS", "GOARCH", "GOFLAGS", "GOWORK", "CGO_ENABLED"}, name)
	})
	return append(env, "CGO_ENABLED=0", "GOWORK=off")
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// builder keeps one executable at path, built once however many processes ask for it at the same time.
type builder struct {
	path     string
	name     string
	progress io.Writer
	every    time.Duration
	compile  func(ctx context.Context, out string) error
}

func (b builder) ensure(ctx context.Context) (*CLI, error) {
	if found := b.present(ctx); found != nil {
		return found, nil
	}
	dir := filepath.Dir(b.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keeping %s: %w", b.name, err)
	}
	lock := flock.New(filepath.Join(dir, "build.lock"))
	err := b.narrate("Waiting for another build of "+b.name, func() error {
		_, err := lock.TryLockContext(ctx, lockRetry)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for another build of %s: %w", b.name, err)
	}
	defer func() { _ = lock.Close() }()
	if found := b.present(ctx); found != nil {
		return found, nil
	}
	if err := b.build(ctx, dir); err != nil {
		return nil, fmt.Errorf("building %s: %w", b.name, err)
	}
	return Inspect(ctx, b.path)
}

// present returns the executable when it is there and answers. One that does not answer, from another machine or a full
// disk, is built again.
func (b builder) present(ctx context.Context) *CLI {
	if _, err := os.Stat(b.path); err != nil {
		return nil
	}
	found, err := Inspect(ctx, b.path)
	if err != nil {
		return nil
	}
	return found
}

// build compiles under a temporary name, so that path never holds half a file.
func (b builder) build(ctx context.Context, dir string) error {
	temporary, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	out := filepath.Join(temporary, filepath.Base(b.path))

	fmt.Fprintf(b.progress, "Building %s from its Go module, once: about four minutes.\n", b.name)
	began := time.Now()
	err = b.narrate("Still building "+b.name, func() error { return b.compile(ctx, out) })
	if err != nil {
		return err
	}
	if err := os.Rename(out, b.path); err != nil {
		return err
	}
	fmt.Fprintf(b.progress, "Built %s in %s.\n", b.name, time.Since(began).Round(time.Second))
	return nil
}

// narrate runs work and writes a line each b.every while it lasts.
func (b builder) narrate(line string, work func() error) error {
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- work() }()
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			fmt.Fprintf(b.progress, "%s (%s so far).\n", line, time.Since(began).Round(time.Second))
		}
	}
}
