package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// environment is os.Getenv for variables of its own.
func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestUser_pluginDir(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		System string
		Env    map[string]string
		Want   string
		Fails  string
	}](t, "user_plugin_dir.json") {
		rows.Case(t, name, func(t *testing.T) {
			got, err := user{test.System, environment(test.Env)}.pluginDir()
			if test.Fails != "" {
				expect.False(t, err == nil || !strings.Contains(err.Error(), test.Fails),
					"%q, %v, want the error %q", got, err, test.Fails)
				return
			}
			expect.False(t, err != nil || filepath.ToSlash(got) != test.Want, "%q, %v, want %q", got, err, test.Want)
		})
	}
}

func TestUser_restrictions(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		System string
		Files  map[string]string
		Env    map[string]string // Paths in it are below the directory of the test.
		Want   []string
	}](t, "user_restrictions.json") {
		rows.Case(t, name, func(t *testing.T) {
			home := t.TempDir()
			variables := map[string]string{"HOME": home, "APPDATA": home}
			for name, path := range test.Env {
				variables[name] = filepath.Join(home, path)
			}
			for name, content := range test.Files {
				write(t, filepath.Join(home, filepath.FromSlash(name)), content)
			}
			var got []string
			for _, file := range (user{test.System, environment(variables)}).restrictions() {
				below, err := filepath.Rel(home, file)
				expect.NoError(t, err)
				got = append(got, filepath.ToSlash(below))
			}
			slices.Sort(got)
			expect.Same(t, test.Want, got)
		})
	}
}

func TestPut_tellsOfAnotherBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "built"), filepath.Join(dir, "deep", "installed")
	for _, step := range []struct {
		content string
		other   bool
	}{{"one", false}, {"one", false}, {"two", true}, {"two", false}} {
		write(t, from, step.content)
		other, err := put(from, to)
		if err != nil || other != step.other {
			t.Fatalf("putting %s gives %t, %v, want %t", step.content, other, err, step.other)
		}
		if got, err := os.ReadFile(to); err != nil || string(got) != step.content {
			t.Fatalf("%q is there, %v, want %q", got, err, step.content)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(to))
	expect.False(t, err != nil || len(entries) != 1,
		"%v, %v, want the program alone: a CLI takes the checksum of the whole directory", entries, err)
}

func TestInstallation_explains(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // The machine may have the programs installed.
	var said strings.Builder
	i := installation{mirror: "/home/ana/mirror", programs: "/home/ana/go/bin", out: &said, replaced: true}
	i.explain([]string{"/home/ana/.terraformrc"})
	for _, want := range []string{
		"/home/ana/.terraformrc has a block provider_installation", `path    = "/home/ana/mirror"`, `terraform providers lock -fs-mirror="/home/ana/mirror" einvoice-br/einvoice`, "/home/ana/go/bin", "terraform init or tofu init",
	} {
		expect.Contains(t, said.String(), want)
	}
	said.Reset()
	i.replaced = false
	i.explain(nil)
	for _, none := range []string{"provider_installation", ".terraform.lock.hcl"} {
		expect.False(t, strings.Contains(said.String(), none), "it speaks of %s for no reason:\n%s", none, &said)
	}
}

func TestInstallation_removesWhatItHasPutThereAndNoMore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var said strings.Builder
	i := installation{mirror: filepath.Join(dir, "plugins"), programs: filepath.Join(dir, "bin"), out: &said}
	ours := []string{
		filepath.Join(i.mirror, "registry.terraform.io", "einvoice-br", "einvoice", "0.1.0", "linux_amd64", "terraform-provider-einvoice_v0.1.0"),
		filepath.Join(i.mirror, "registry.opentofu.org", "einvoice-br", "einvoice", "0.0.9", "linux_amd64", "terraform-provider-einvoice_v0.0.9"),
		i.program("einvoice-sandbox"), i.program("einvoice-check"),
	}
	others := []string{filepath.Join(i.mirror, "registry.terraform.io", "hashicorp", "aws", "README"), filepath.Join(i.programs, "gopls")}
	for _, file := range append(slices.Clone(ours), others...) {
		write(t, file, "")
	}
	for range 2 { // A second time there is nothing to do.
		expect.NoError(t, i.remove())
	}
	for _, file := range ours {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", file, err)
		}
	}
	for _, file := range others {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	expect.Is(t, strings.Count(said.String(), "Removed"), 4, "it tells of removals, want 4:\n%s", &said)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// newWorkplace is a machine with a home directory with nothing in it, and no way to a registry.
func newWorkplace(t *testing.T) (w *testkit.Workspace, home string) {
	t.Helper()
	home = t.TempDir()
	w = &testkit.Workspace{T: t, Cli: testkit.MustFindCLI(t)}
	for _, entry := range os.Environ() {
		if !regexp.MustCompile(`(?i)^(TF_|TERRAFORM_|XDG_|EINVOICE_|HOME=|APPDATA=|https_proxy=|no_proxy=)`).MatchString(entry) {
			w.Environ = append(w.Environ, entry)
		}
	}
	w.Environ = append(w.Environ, "HOME="+home, "APPDATA="+home, "HTTPS_PROXY=http://127.0.0.1:1", "CHECKPOINT_DISABLE=1", "EINVOICE_CACHE_DIR="+filepath.Join(home, "cache"))
	return w, home
}

// TestAccInstall_initFindsTheProvider installs the provider for somebody who has configured nothing, and asks no
// registry from there on.
func TestAccInstall_initFindsTheProvider(t *testing.T) {
	w, home := newWorkplace(t)
	t.Chdir(filepath.Join("..", "..", ".."))
	mirror, err := user{runtime.GOOS, environment(map[string]string{"HOME": home, "APPDATA": home})}.pluginDir()
	expect.NoError(t, err)
	var said strings.Builder
	i := &installation{mirror: mirror, programs: filepath.Join(home, "bin"), out: &said}
	expect.NoError(t, i.install(t.Context()))
	if output, err := exec.CommandContext(t.Context(), i.program("einvoice-sandbox"), "-version").Output(); err != nil || string(output) != "einvoice-sandbox dev\n" {
		t.Errorf("the sandbox answers %q, %v", output, err)
	}

	w.Dir = filepath.Join(home, "quickstart")
	files, err := filepath.Glob(filepath.Join("examples", "quickstart", "*.tf"))
	expect.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		expect.NoError(t, err)
		write(t, filepath.Join(w.Dir, filepath.Base(file)), string(content))
	}
	expect.Contains(t, w.MustRun("init", "-input=false"), "Installed einvoice-br/einvoice v0.1.")
	s := sandbox.Start(t, sandbox.Options{})
	w.Environ = append(w.Environ, "EINVOICE_BASE_URL="+s.BaseURL(), "EINVOICE_API_KEY="+s.OwnerKey())
	if output := w.MustRun("plan", "-input=false"); !strings.Contains(output, "Plan: 8 to add") || strings.Contains(output, "overrides") {
		t.Errorf("the plan is another one:\n%s", output)
	}
	t.Run("after another build", func(t *testing.T) { w.T = t; forgetsTheBuildBefore(w, mirror) })
	t.Run("with a configuration of the CLI", func(t *testing.T) { w.T = t; findsItAsExplained(w, home, i, &said) })
}

// forgetsTheBuildBefore does what is explained after a second installation.
func forgetsTheBuildBefore(w *testkit.Workspace, mirror string) {
	w.T.Helper()
	programs, err := filepath.Glob(filepath.Join(mirror, "*", "einvoice-br", "einvoice", "*", "*", "terraform-provider-einvoice*"))
	if err != nil || len(programs) != 2 {
		w.T.Fatalf("%v, %v: want the provider under both registries' names", programs, err)
	}
	for _, program := range programs {
		file, err := os.OpenFile(program, os.O_APPEND|os.O_WRONLY, 0)
		expect.NoError(w.T, err)
		_, err = file.WriteString("another build")
		expect.NoError(w.T, file.Close())
		expect.NoError(w.T, err)
	}
	if output, ok := w.Run("init", "-input=false"); ok || !strings.Contains(output, "checksum") {
		w.T.Errorf("init succeeds: %t, want a refusal for the checksum, as is explained:\n%s", ok, output)
	}
	w.MustRun("providers", "lock", "-fs-mirror="+mirror, "einvoice-br/einvoice")
	w.MustRun("init", "-input=false")
}

// findsItAsExplained takes the explanation at its word where the CLI's configuration says
// where providers come from.
func findsItAsExplained(w *testkit.Workspace, home string, i *installation, said *strings.Builder) {
	w.T.Helper()
	said.Reset()
	i.explain([]string{"a file"})
	_, method, _ := strings.Cut(said.String(), "Add to this block\n\n")
	method, exclude, _ := strings.Cut(method, "\n\nand to each other method in it: ")
	exclude, _, ok := strings.Cut(exclude, ". ")
	if !ok {
		w.T.Fatalf("the explanation is another one:\n%s", said)
	}
	config := filepath.Join(home, "own.tfrc")
	w.Environ = append(w.Environ, "TF_CLI_CONFIG_FILE="+config)
	fresh := func() {
		for _, left := range []string{".terraform", ".terraform.lock.hcl"} {
			expect.NoError(w.T, os.RemoveAll(filepath.Join(w.Dir, left)))
		}
	}
	fresh()
	write(w.T, config, "provider_installation {\n  direct {}\n}\n")
	if output, ok := w.Run("init", "-input=false"); ok {
		w.T.Errorf("the provider is found without what is explained:\n%s", output)
	}
	fresh()
	write(w.T, config, "provider_installation {\n"+method+"\n  direct {\n    "+exclude+"\n  }\n}\n")
	w.MustRun("init", "-input=false")
}

// TestAccMirror_locksAndInitializes takes the archive as a pipeline does: its checksum is recorded from the mirror, also
// for a configuration with modules, and init takes nothing else.
func TestAccMirror_locksAndInitializes(t *testing.T) {
	w, home := newWorkplace(t)
	t.Chdir(filepath.Join("..", "..", ".."))
	w.Dir = filepath.Join(home, "configuration")
	const platform = runtime.GOOS + "_" + runtime.GOARCH
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		expect.NoError(t, writeMirror(t.Context(), io.Discard, filepath.Join(w.Dir, "mirror"), host, platform))
	}
	module, err := os.ReadFile(filepath.Join("examples", "modules", "monthly-invoices", "versions.tf"))
	expect.NoError(t, err)
	tfrc, err := os.ReadFile(filepath.Join("examples", "pipelines", "mirror.tfrc"))
	expect.NoError(t, err)
	write(t, filepath.Join(w.Dir, "mirror.tfrc"), string(tfrc))
	write(t, filepath.Join(w.Dir, "main.tf"), "module \"month\" {\n  source = \"./month\"\n}\n")
	write(t, filepath.Join(w.Dir, "month", "versions.tf"), string(module))
	w.MustRun("get")
	w.MustRun("providers", "lock", "-fs-mirror=mirror", "-platform="+platform, "einvoice-br/einvoice")
	w.Environ = append(w.Environ, "TF_CLI_CONFIG_FILE=mirror.tfrc")
	w.MustRun("init", "-input=false", "-lockfile=readonly")

	// The version is set while linking.
	version, err := version()
	expect.NoError(t, err)
	s := sandbox.Start(t, sandbox.Options{})
	write(t, filepath.Join(w.Dir, "read.tf"), string(module)+"\ndata \"einvoice_customers\" \"all\" {}\n")
	w.Environ = append(w.Environ, "EINVOICE_BASE_URL="+s.BaseURL(), "EINVOICE_API_KEY="+s.OwnerKey())
	w.MustRun("plan", "-input=false")
	sent, _ := s.Last("GET", "/v1/customers")
	expect.Contains(t, sent.Header.Get("User-Agent"), "terraform-provider-einvoice/"+version)
}
