package provider

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// What only real processes show, such as interrupts, several provider processes
// and the environment, is tested with the built provider and the CLI that the
// acceptance tests run on.

var builtProvider struct {
	sync.Once
	dir string
	err error
}

// workspace is a directory with a configuration, and a cache directory of its
// own, which stands for one machine.
type workspace struct {
	t        *testing.T
	cli      *cli.CLI
	dir      string
	cacheDir string
	environ  []string
}

// newWorkspace writes config into a directory of its own. Workspaces with the
// same cache directory share a machine; "" makes a new one.
func newWorkspace(t *testing.T, config, cacheDir string) *workspace {
	t.Helper()
	binary := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if os.Getenv("TF_ACC") == "" || binary == "" {
		t.Skip("needs TF_ACC and a CLI in TF_ACC_TERRAFORM_PATH, as `make test` sets them")
	}
	found, err := cli.Inspect(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	builtProvider.Do(func() {
		builtProvider.dir = filepath.Join(os.Getenv(message.EnvCacheDir), "provider")
		_, builtProvider.err = cli.BuildProvider(context.WithoutCancel(t.Context()), builtProvider.dir)
	})
	if builtProvider.err != nil {
		t.Fatal(builtProvider.err)
	}
	if cacheDir == "" {
		cacheDir = t.TempDir()
	}
	dir := t.TempDir()
	configFile, err := cli.WriteDevOverrides(t.TempDir(), builtProvider.dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{t: t, cli: found, dir: dir, cacheDir: cacheDir, environ: append(cli.Environ(os.Environ(), configFile), message.EnvCacheDir+"="+cacheDir)}
	w.write(config)
	return w
}

func (w *workspace) write(config string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(config), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// command prepares a run in a process group of its own, so that the CLI and its
// providers can be signaled together.
func (w *workspace) command(args ...string) (*exec.Cmd, *strings.Builder) {
	output := &strings.Builder{}
	cmd := exec.CommandContext(w.t.Context(), w.cli.Path, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.dir, w.environ
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	return cmd, output
}

// run returns the output and whether the command succeeded.
func (w *workspace) run(args ...string) (string, bool) {
	w.t.Helper()
	cmd, output := w.command(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s %s: %v\n%s", w.cli.Path, strings.Join(args, " "), err, output)
	}
	return output.String(), err == nil
}

// mustRun fails the test when the command does.
func (w *workspace) mustRun(args ...string) string {
	w.t.Helper()
	output, ok := w.run(args...)
	if !ok {
		w.t.Fatalf("%s failed:\n%s", strings.Join(args, " "), output)
	}
	return output
}

// apply and the like never ask.
func (w *workspace) mustApply() string {
	w.t.Helper()
	return w.mustRun("apply", "-auto-approve", "-input=false")
}
