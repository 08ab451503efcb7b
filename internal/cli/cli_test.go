package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// answerFile, beside a copy of this test binary, makes the copy behave as a CLI that answers with the file's content.
const answerFile = "answer.txt"

func TestMain(m *testing.M) {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer, err := os.ReadFile(filepath.Join(filepath.Dir(self), answerFile))
	if err != nil {
		// Under the race detector each CLI would linger for a second at its end.
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	if _, err := os.ReadFile(os.Getenv("TF_CLI_CONFIG_FILE")); err != nil {
		fmt.Println("Warning: Unable to open CLI configuration file")
	}
	fmt.Print(string(answer))
	if strings.Contains(string(answer), "panic") {
		os.Exit(2)
	}
	os.Exit(0)
}

// fakeCLI puts an executable named name into a directory of its own.
func fakeCLI(t *testing.T, name, answer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+executableSuffix())
	self, err := os.Executable()
	expect.NoError(t, err)
	if err := os.Link(self, path); err != nil {
		content, err := os.ReadFile(self)
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(path, content, 0o700))
	}
	expect.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), answerFile), []byte(answer), 0o600))
	return path
}

func TestInspect(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Answer, Version, Error string
		Product                Product
	}](t, "inspect.json") {
		rows.Case(t, name, func(t *testing.T) {
			path := fakeCLI(t, "terraform", test.Answer)
			found, err := Inspect(t.Context(), path)
			if test.Error != "" {
				wantError(t, err, test.Error)
				return
			}
			expect.NoError(t, err)
			expect.Is(t, [3]string{found.Path, string(found.Product), found.Version}, [3]string{path, string(test.Product), test.Version})
		})
	}
}

// wantError checks a part of an error.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	expect.True(t, err != nil && strings.Contains(err.Error(), want), "error %v, want one with %q", err, want)
}

func TestInspect_ignoresTheUsersConfiguration(t *testing.T) {
	t.Setenv("TF_CLI_CONFIG_FILE", filepath.Join(t.TempDir(), "missing.tfrc"))
	found, err := Inspect(t.Context(), fakeCLI(t, "tofu", "OpenTofu v1.12.6\n"))
	expect.NoError(t, err)
	config, err := WriteEmptyConfig(t.TempDir())
	expect.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), found.Path, "version")
	cmd.Env = Environ(os.Environ(), config)
	out, err := Output(cmd)
	expect.NoError(t, err)
	expect.Is(t, string(out), "OpenTofu v1.12.6\n", "the CLI saw the missing configuration, and answered")
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Want, Found, Says string            // nothing is found: there is no Terraform
		Path              map[string]string // what the programs there answer
	}](t, "find.json") {
		rows.Case(t, name, func(t *testing.T) {
			var said bytes.Buffer
			f := finder{
				lookPath: func(name string) (string, error) {
					answer, ok := test.Path[name]
					if !ok {
						return "", exec.ErrNotFound
					}
					return fakeCLI(t, name, answer), nil
				},
				build: func(context.Context, io.Writer) (*CLI, error) {
					return &CLI{Path: "built", Product: OpenTofu, Version: "1.12.6"}, nil
				},
				progress: &said,
			}
			found, err := f.find(t.Context(), test.Want)
			if test.Found == "" {
				expect.True(t, errors.Is(err, ErrNoTerraform), "error %v, want %v", err, ErrNoTerraform)
			} else {
				expect.NoError(t, err)
				expect.True(t, strings.HasPrefix(found.String(), test.Found), "found %s, want %s", found, test.Found)
			}
			expect.False(t, test.Says == "" && said.Len() > 0 || !strings.Contains(said.String(), test.Says),
				"said %q, want %q", said.String(), test.Says)
		})
	}
}

func TestFind_byPath(t *testing.T) {
	t.Parallel()
	for want, failure := range map[string]string{
		fakeCLI(t, "tofu-next", "OpenTofu v1.13.0-beta1\n"): "",
		fakeCLI(t, "terraform", "Terraform v1.5.7\n"):       "too old",
		filepath.Join(t.TempDir(), "terraform"):             "no such file",
		"terrafrom":                                         "say any, terraform, tofu or a path",
	} {
		found, err := Find(t.Context(), want, io.Discard)
		if failure != "" {
			wantError(t, err, failure)
			continue
		}
		expect.NoError(t, err)
		expect.Is(t, found.Path, want, "it is found at")
	}
}

func TestBuilder_replacesWhatDoesNotRunAndLeavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tofu-v1.12.6")
	compiled, full := 0, errors.New("no space left on device")
	b := builder{path: filepath.Join(dir, "tofu"+executableSuffix()), name: "OpenTofu v1.12.6", progress: io.Discard}
	b.compile = func(_ context.Context, out string) error {
		return errors.Join(full, os.WriteFile(out, []byte("half a file"), 0o600))
	}
	_, err := b.ensure(t.Context())
	wantError(t, err, "building OpenTofu v1.12.6: "+full.Error())
	entries, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.False(t, len(entries) > 0, "%v are left behind", entries)

	b.compile = func(_ context.Context, out string) error {
		compiled++
		// The answer lies beside the final name, where the fake looks for it.
		source := fakeCLI(t, "tofu", b.name+"\n")
		return errors.Join(os.Rename(filepath.Join(filepath.Dir(source), answerFile), filepath.Join(dir, answerFile)), os.Rename(source, out))
	}
	expect.NoError(t, os.WriteFile(b.path, []byte("half a file"), 0o700))
	for range 2 {
		_, err := b.ensure(t.Context())
		expect.NoError(t, err)
	}
	expect.Is(t, compiled, 1, "compiled times")
}

func TestTofuVersion_isTheOneTheToolModuleRequires(t *testing.T) {
	t.Parallel()
	version, err := tofuVersion(t.Context(), filepath.Join("..", "tools", "tofu"))
	expect.NoError(t, err)
	expect.True(t, strings.HasPrefix(version, "v1."), "version %q, want one of major version 1", version)
	_, err = tofuVersion(t.Context(), filepath.Join("..", ".."))
	expect.False(t, err == nil, "the main module requires no OpenTofu, and no error says so")
}

func TestWriteDevOverrides(t *testing.T) {
	t.Parallel()
	provider := filepath.Join(t.TempDir(), `a "quoted" ${odd} %{name}`)
	path, err := WriteDevOverrides(t.TempDir(), provider)
	expect.NoError(t, err)
	content, err := os.ReadFile(path)
	expect.NoError(t, err)
	quoted := strings.NewReplacer(`"`, `\"`, "${", "$${", "%{", "%%{").Replace(filepath.ToSlash(provider))
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		line := fmt.Sprintf("%q = \"%s\"", host+"/einvoice-br/einvoice", quoted)
		expect.Contains(t, string(content), line)
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	base := []string{
		"PATH=/bin", "EINVOICE_API_KEY=key", "TF_LOG=DEBUG", "TF_VAR_name=x", "TF_CLI_CONFIG_FILE=/missing", "TF_CLI_ARGS=-no-color",
		"TF_CLI_ARGS_plan=-refresh=false", "TF_DATA_DIR=elsewhere", "TF_WORKSPACE=other", "TF_REATTACH_PROVIDERS={}",
	}
	want := []string{
		"PATH=/bin", "EINVOICE_API_KEY=key", "TF_LOG=DEBUG", "TF_VAR_name=x",
		"TF_CLI_CONFIG_FILE=/config", "CHECKPOINT_DISABLE=1",
	}
	expect.Same(t, want, Environ(base, "/config"))

	for product, host := range map[Product]string{Terraform: "registry.terraform.io", OpenTofu: "registry.opentofu.org"} {
		got := (&CLI{Path: "/cli", Product: product}).AcceptanceEnviron(base, "/config")
		want := append(slices.Clone(want), "TF_ACC=1", "TF_ACC_TERRAFORM_PATH=/cli",
			"TF_ACC_PROVIDER_NAMESPACE=einvoice-br", "TF_ACC_PROVIDER_HOST="+host)
		expect.True(t, slices.Equal(got, want), "environment of acceptance on %s %q, want %q", product, got, want)
	}
}
