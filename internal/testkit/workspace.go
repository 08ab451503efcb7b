package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What only real processes show, such as interrupts, several provider processes and the environment, is tested with the
// built provider and the CLI that the acceptance tests run on.

// BuiltProvider is the directory of the built provider, with how it was found.
var BuiltProvider struct {
	sync.Once
	Dir string
	err error
}

// buildProvider builds the provider, unless another process of the run has.
func buildProvider(ctx context.Context) (dir string, err error) {
	shared := os.Getenv(cli.EnvBuildDir)
	if shared == "" {
		shared = os.Getenv(message.EnvCacheDir)
	}
	dir = filepath.Join(shared, "provider")
	lock := flock.New(filepath.Join(shared, "provider.lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	done := filepath.Join(shared, "provider.built")
	if _, err := os.Stat(done); err == nil {
		return dir, nil
	}
	if _, err := cli.BuildProvider(ctx, dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(done, nil, 0o600)
}

// foundCLI is the CLI of the run.
var foundCLI = sync.OnceValues(func() (*cli.CLI, error) {
	return cli.Inspect(context.Background(), os.Getenv("TF_ACC_TERRAFORM_PATH"))
})

// MustFindCLI skips a test where none is given.
func MustFindCLI(t *testing.T) *cli.CLI {
	t.Helper()
	if os.Getenv("TF_ACC") == "" || os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		t.Skip("needs TF_ACC and a CLI in TF_ACC_TERRAFORM_PATH, as `make test` sets them")
	}
	found, err := foundCLI()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Workspace is a directory with a configuration. With a provider in processes of
// its own it has a cache directory too, which stands for one machine.
type Workspace struct {
	T        *testing.T
	Cli      *cli.CLI
	Dir      string
	CacheDir string
	Environ  []string

	dial func(context.Context, string, string) (net.Conn, error) // of an attached provider; nil is the machine's
}

// NewWorkspace writes config into a directory of its own, where the CLI starts the built provider. Workspaces with the
// same cache directory share a machine; "" makes a new one. Most tests need no more than NewAttached, which is cheaper.
func NewWorkspace(t *testing.T, config, cacheDir string) *Workspace {
	t.Helper()
	found := MustFindCLI(t)
	BuiltProvider.Do(func() {
		BuiltProvider.Dir, BuiltProvider.err = buildProvider(context.WithoutCancel(t.Context()))
	})
	if BuiltProvider.err != nil {
		t.Fatal(BuiltProvider.err)
	}
	if cacheDir == "" {
		cacheDir = t.TempDir()
	}
	dir := t.TempDir()
	configFile, err := cli.WriteDevOverrides(t.TempDir(), BuiltProvider.Dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{
		T:        t,
		Cli:      found,
		Dir:      dir,
		CacheDir: cacheDir,
		Environ:  append(cli.Environ(os.Environ(), configFile), message.EnvCacheDir+"="+cacheDir),
	}
	w.Write(config)
	return w
}

// UseByEnvironment makes the provider talk to the sandbox as its main company,
// without pacing, where the configuration says nothing else.
func (w *Workspace) UseByEnvironment(s *sandbox.Server) {
	w.Environ = append(
		w.Environ,
		message.EnvBaseURL+"="+s.BaseURL(),
		message.EnvAPIKey+"="+s.OwnerKey(),
		message.EnvRequestsPerMinute+"=0",
		message.EnvRequestsPerSecond+"=0",
	)
}

// Write replaces the configuration.
func (w *Workspace) Write(config string) {
	w.T.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(config), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// Command prepares a run in a process group of its own, so that the CLI and its providers can be signaled together.
func (w *Workspace) Command(args ...string) (*exec.Cmd, *strings.Builder) {
	output := &strings.Builder{}
	cmd := exec.CommandContext(w.T.Context(), w.Cli.Path, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.Dir, w.Environ
	cmd.Stdout, cmd.Stderr = output, output
	cli.OwnGroup(cmd)
	cmd.WaitDelay = time.Minute
	return cmd, output
}

// Run returns the output and whether the command succeeded.
func (w *Workspace) Run(args ...string) (string, bool) {
	w.T.Helper()
	cmd, output := w.Command(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.T.Fatalf("%s %s: %v\n%s", w.Cli.Path, strings.Join(args, " "), err, output)
	}
	return output.String(), err == nil
}

// MustRun fails the test when the command does.
func (w *Workspace) MustRun(args ...string) string {
	w.T.Helper()
	output, ok := w.Run(args...)
	if !ok {
		w.T.Fatalf("%s failed:\n%s", strings.Join(args, " "), output)
	}
	return output
}

// MustDecode decodes what a command writes to its standard output as JSON.
func (w *Workspace) MustDecode(into any, args ...string) {
	w.T.Helper()
	cmd, _ := w.Command(args...)
	output, err := cli.Output(cmd)
	if err == nil {
		err = json.Unmarshal(output, into)
	}
	if err != nil {
		w.T.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// MustApply applies without asking.
func (w *Workspace) MustApply() string {
	w.T.Helper()
	return w.MustRun("apply", "-auto-approve", "-input=false")
}

// InFiles looks for a text in everything that a run has left in its directory.
func (w *Workspace) InFiles(text string) []string {
	w.T.Helper()
	var found []string
	err := filepath.WalkDir(w.Dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) == ".tf" {
			return err
		}
		content, err := os.ReadFile(name)
		if strings.Contains(string(content), text) {
			found = append(found, filepath.Base(name))
		}
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return found
}

// StateObject is an object as the state file has it.
type StateObject struct {
	Status     string // tainted, or nothing
	Attributes map[string]any
}

// State reads the state file, by address. Of a resource with several instances it has the first.
func (w *Workspace) State() map[string]*StateObject {
	w.T.Helper()
	raw, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.T.Fatal(err)
	}
	var file struct {
		Resources []struct {
			Mode, Type, Name string
			Instances        []*StateObject
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		w.T.Fatal(err)
	}
	objects := map[string]*StateObject{}
	for _, r := range file.Resources {
		address := r.Type + "." + r.Name
		if r.Mode == "data" {
			address = "data." + address
		}
		objects[address] = r.Instances[0]
	}
	return objects
}

// StateOf reads an attribute from the state file.
func (w *Workspace) StateOf(address, name string) any {
	w.T.Helper()
	object := w.State()[address]
	if object == nil {
		w.T.Fatalf("%s is not in state", address)
	}
	return object.Attributes[name]
}

// Edit replaces a text in a file of the workspace.
func (w *Workspace) Edit(file, from, to string) {
	w.T.Helper()
	path := filepath.Join(w.Dir, filepath.FromSlash(file))
	content, err := os.ReadFile(path)
	if err != nil {
		w.T.Fatal(err)
	}
	edited := strings.Replace(string(content), from, to, 1)
	if edited == string(content) {
		w.T.Fatalf("%s does not hold %q", file, from)
	}
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// MustPlanNothing fails the test where a plan finds something to do.
func (w *Workspace) MustPlanNothing() {
	w.T.Helper()
	if output, ok := w.Run("plan", "-detailed-exitcode", "-input=false"); !ok {
		w.T.Errorf("a plan right after the apply is not empty:\n%s", output)
	}
}
