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
)

const (
	tofuModule  = "github.com/opentofu/opentofu"
	tofuCommand = tofuModule + "/cmd/tofu"
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
		lines := strings.Split(strings.TrimSpace(output.String()), "\n")
		return fmt.Errorf("%w\n%s", err, strings.Join(lines[max(0, len(lines)-40):], "\n"))
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

// builder keeps one executable at path.
type builder struct {
	path     string
	name     string
	progress io.Writer
	compile  func(ctx context.Context, out string) error
}

// ensure returns the executable. It builds it where it is missing or does not answer, as one from another machine or
// after a full disk.
func (b builder) ensure(ctx context.Context) (*CLI, error) {
	if _, err := os.Stat(b.path); err == nil {
		if found, err := Inspect(ctx, b.path); err == nil {
			return found, nil
		}
	}
	if err := b.build(ctx); err != nil {
		return nil, fmt.Errorf("building %s: %w", b.name, err)
	}
	return Inspect(ctx, b.path)
}

// build compiles under a temporary name: path never holds half a file, however many processes build at the same time.
func (b builder) build(ctx context.Context) error {
	dir := filepath.Dir(b.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	out := filepath.Join(temporary, filepath.Base(b.path))

	fmt.Fprintf(b.progress, "Building %s from its Go module, once: about four minutes.\n", b.name)
	if err := b.compile(ctx, out); err != nil {
		return err
	}
	return os.Rename(out, b.path)
}
