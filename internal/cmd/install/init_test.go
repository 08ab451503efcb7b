package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// workplace is a machine on which the provider is installed, seen from one directory.
type workplace struct {
	t    *testing.T
	cli  string
	home string
	dir  string
	env  []string
}

func (w workplace) run(args ...string) (output string, ok bool) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), w.cli, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.dir, w.env
	shown, err := cli.Output(cmd)
	if err != nil {
		return err.Error(), false
	}
	return string(shown), true
}

func (w workplace) mustRun(args ...string) string {
	w.t.Helper()
	output, ok := w.run(args...)
	if !ok {
		w.t.Fatalf("%s in %s failed:\n%s", strings.Join(args, " "), w.dir, output)
	}
	return output
}

// newWorkplace has a home directory with nothing in it, and no way to a registry.
func newWorkplace(t *testing.T) workplace {
	t.Helper()
	binary := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if os.Getenv("TF_ACC") == "" || binary == "" {
		t.Skip("needs TF_ACC and a CLI in TF_ACC_TERRAFORM_PATH, as `make test` sets them")
	}
	w := workplace{t: t, cli: binary, home: t.TempDir()}
	for _, entry := range os.Environ() {
		if !regexp.MustCompile(`(?i)^(TF_|TERRAFORM_|XDG_|EINVOICE_|HOME=|APPDATA=|https_proxy=|no_proxy=)`).MatchString(entry) {
			w.env = append(w.env, entry)
		}
	}
	w.env = append(w.env, "HOME="+w.home, "APPDATA="+w.home, "HTTPS_PROXY=http://127.0.0.1:1", "CHECKPOINT_DISABLE=1", "EINVOICE_CACHE_DIR="+filepath.Join(w.home, "cache"))
	return w
}

// TestAccInstall_initFindsTheProvider installs the provider for somebody who has configured nothing, and asks no
// registry from there on.
func TestAccInstall_initFindsTheProvider(t *testing.T) {
	w := newWorkplace(t)
	t.Chdir(filepath.Join("..", "..", ".."))
	mirror, err := user{runtime.GOOS, environment(map[string]string{"HOME": w.home, "APPDATA": w.home})}.pluginDir()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	i := &installation{mirror: mirror, programs: filepath.Join(w.home, "bin"), out: &said}
	if err := i.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(t.Context(), i.program("einvoice-sandbox"), "-version").Output(); err != nil || string(output) != "einvoice-sandbox dev\n" {
		t.Errorf("the sandbox answers %q, %v", output, err)
	}

	w.dir = filepath.Join(w.home, "quickstart")
	files, err := filepath.Glob(filepath.Join("examples", "quickstart", "*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.dir, filepath.Base(file)), string(content))
	}
	if output := w.mustRun("init", "-input=false"); !strings.Contains(output, "Installed einvoice-br/einvoice v0.1.") {
		t.Errorf("init does not tell of the provider:\n%s", output)
	}
	s := sandbox.Start(t, sandbox.Options{})
	w.env = append(w.env, "EINVOICE_BASE_URL="+s.BaseURL(), "EINVOICE_API_KEY="+s.OwnerKey())
	if output := w.mustRun("plan", "-input=false"); !strings.Contains(output, "Plan: 8 to add") || strings.Contains(output, "overrides") {
		t.Errorf("the plan is another one:\n%s", output)
	}
	t.Run("after another build", func(t *testing.T) { w.t = t; w.forgetsTheBuildBefore(mirror) })
	t.Run("with a configuration of the CLI", func(t *testing.T) { w.t = t; w.findsItAsExplained(i, &said) })
}

// forgetsTheBuildBefore does what is explained after a second installation.
func (w workplace) forgetsTheBuildBefore(mirror string) {
	w.t.Helper()
	programs, err := filepath.Glob(filepath.Join(mirror, "*", "einvoice-br", "einvoice", "*", "*", "terraform-provider-einvoice*"))
	if err != nil || len(programs) != 2 {
		w.t.Fatalf("%v, %v: want the provider under both registries' names", programs, err)
	}
	for _, program := range programs {
		file, err := os.OpenFile(program, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			w.t.Fatal(err)
		}
		_, err = file.WriteString("another build")
		if err := file.Close(); err != nil {
			w.t.Fatal(err)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if output, ok := w.run("init", "-input=false"); ok || !strings.Contains(output, "checksum") {
		w.t.Errorf("init succeeds: %t, want a refusal for the checksum, as is explained:\n%s", ok, output)
	}
	w.mustRun("providers", "lock", "-fs-mirror="+mirror, "einvoice-br/einvoice")
	w.mustRun("init", "-input=false")
}

// findsItAsExplained takes the explanation at its word where the CLI's configuration says
// where providers come from.
func (w workplace) findsItAsExplained(i *installation, said *strings.Builder) {
	w.t.Helper()
	said.Reset()
	i.explain([]string{"a file"})
	_, method, _ := strings.Cut(said.String(), "Add to this block\n\n")
	method, exclude, _ := strings.Cut(method, "\n\nand to each other method in it: ")
	exclude, _, ok := strings.Cut(exclude, ". ")
	if !ok {
		w.t.Fatalf("the explanation is another one:\n%s", said)
	}
	config := filepath.Join(w.home, "own.tfrc")
	w.env = append(w.env, "TF_CLI_CONFIG_FILE="+config)
	fresh := func() {
		for _, left := range []string{".terraform", ".terraform.lock.hcl"} {
			if err := os.RemoveAll(filepath.Join(w.dir, left)); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	fresh()
	write(w.t, config, "provider_installation {\n  direct {}\n}\n")
	if output, ok := w.run("init", "-input=false"); ok {
		w.t.Errorf("the provider is found without what is explained:\n%s", output)
	}
	fresh()
	write(w.t, config, "provider_installation {\n"+method+"\n  direct {\n    "+exclude+"\n  }\n}\n")
	w.mustRun("init", "-input=false")
}

// TestAccMirror_locksAndInitializes takes the archive as a pipeline does: its checksum is recorded from the mirror, also
// for a configuration with modules, and init takes nothing else.
func TestAccMirror_locksAndInitializes(t *testing.T) {
	w := newWorkplace(t)
	t.Chdir(filepath.Join("..", "..", ".."))
	w.dir = filepath.Join(w.home, "configuration")
	const platform = runtime.GOOS + "_" + runtime.GOARCH
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		if err := writeMirror(t.Context(), io.Discard, filepath.Join(w.dir, "mirror"), host, platform); err != nil {
			t.Fatal(err)
		}
	}
	module, err := os.ReadFile(filepath.Join("examples", "modules", "monthly-invoices", "versions.tf"))
	if err != nil {
		t.Fatal(err)
	}
	tfrc, err := os.ReadFile(filepath.Join("examples", "pipelines", "mirror.tfrc"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.dir, "mirror.tfrc"), string(tfrc))
	write(t, filepath.Join(w.dir, "main.tf"), "module \"month\" {\n  source = \"./month\"\n}\n")
	write(t, filepath.Join(w.dir, "month", "versions.tf"), string(module))
	w.mustRun("get")
	w.mustRun("providers", "lock", "-fs-mirror=mirror", "-platform="+platform, "einvoice-br/einvoice")
	w.env = append(w.env, "TF_CLI_CONFIG_FILE=mirror.tfrc")
	w.mustRun("init", "-input=false", "-lockfile=readonly")
}
