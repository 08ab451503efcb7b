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
	"sync/atomic"
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

func noError(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}

// fakeCLI puts an executable named name into a directory of its own.
func fakeCLI(t *testing.T, name, answer string) string {
	t.Helper()
	return fakeCLIAt(t, filepath.Join(t.TempDir(), name+executableSuffix()), answer)
}

func fakeCLIAt(t *testing.T, path, answer string) string {
	t.Helper()
	self, err := os.Executable()
	noError(t, err)
	if err := os.Link(self, path); err != nil {
		content, err := os.ReadFile(self)
		noError(t, err)
		noError(t, os.WriteFile(path, content, 0o700))
	}
	noError(t, os.WriteFile(filepath.Join(filepath.Dir(path), answerFile), []byte(answer), 0o600))
	return path
}

func TestInspect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answer  string
		want    CLI
		wantErr string
	}{
		{name: "Terraform", answer: "Terraform v1.11.4\non linux_amd64\n", want: CLI{Product: Terraform, Version: "1.11.4"}},
		{name: "OpenTofu", answer: "OpenTofu v1.12.6\non linux_amd64\n", want: CLI{Product: OpenTofu, Version: "1.12.6"}},
		{name: "a pre-release", answer: "OpenTofu v1.13.0-beta1\n", want: CLI{Product: OpenTofu, Version: "1.13.0-beta1"}},
		{name: "a warning before the version", answer: "Warning: something\n\nTerraform v1.16.0\n", want: CLI{Product: Terraform, Version: "1.16.0"}},
		{name: "another program", answer: "Packer v1.9.0\n", wantErr: `neither Terraform nor OpenTofu: ` + "`version`" + ` answered "Packer v1.9.0"`},
		{name: "a program that says nothing", answer: "", wantErr: "neither Terraform nor OpenTofu"},
		{name: "a program that fails", answer: "panic: no version set\nTerraform v1.11.4\n", wantErr: "exit status 2\npanic: no version set"},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			path := fakeCLI(t, "terraform", tt.answer)
			found, err := Inspect(t.Context(), path)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("error %v, want one with %q", err, tt.wantErr)
				}
				return
			}
			noError(t, err)
			if found.Product != tt.want.Product || found.Version != tt.want.Version || found.Path != path {
				t.Errorf("found %+v, want %+v at %s", found, tt.want, path)
			}
		})
	}
}

func TestInspect_ignoresTheUsersConfiguration(t *testing.T) {
	t.Setenv("TF_CLI_CONFIG_FILE", filepath.Join(t.TempDir(), "missing.tfrc"))
	found, err := Inspect(t.Context(), fakeCLI(t, "tofu", "OpenTofu v1.12.6\n"))
	noError(t, err)
	config, err := WriteEmptyConfig(t.TempDir())
	noError(t, err)
	cmd := exec.CommandContext(t.Context(), found.Path, "version")
	cmd.Env = Environ(os.Environ(), config)
	out, err := Output(cmd)
	noError(t, err)
	expect.Is(t, string(out), "OpenTofu v1.12.6\n", "the CLI answered : it saw the missing configuration")
}

func TestFind(t *testing.T) {
	t.Parallel()
	const built = "OpenTofu 1.12.6 (built)"
	tests := []struct {
		name    string
		want    string
		path    map[string]string
		found   string
		says    string
		wantErr error
	}{
		{name: "any takes terraform first", want: WantAny, path: map[string]string{"terraform": "Terraform v1.11.4\n", "tofu": "OpenTofu v1.10.0\n"}, found: "Terraform 1.11.4"},
		{name: "any takes tofu where there is no terraform", want: WantAny, path: map[string]string{"tofu": "OpenTofu v1.10.0\n"}, found: "OpenTofu 1.10.0"},
		{name: "any builds where PATH is empty", want: WantAny, found: built},
		{name: "any passes over what is too old", want: WantAny, path: map[string]string{"terraform": "Terraform v1.5.7\n"}, found: built, says: "older than 1.8"},
		{name: "any passes over what is broken", want: WantAny, path: map[string]string{"terraform": "panic: no version set\n", "tofu": "OpenTofu v1.10.0\n"}, found: "OpenTofu 1.10.0", says: "Passing over terraform"},
		{name: "tofu ignores terraform", want: WantTofu, path: map[string]string{"terraform": "Terraform v1.11.4\n"}, found: built},
		{name: "tofu is not a terraform of that name", want: WantTofu, path: map[string]string{"tofu": "Terraform v1.11.4\n"}, found: built, says: "is Terraform"},
		{name: "tofu passes over what is too old", want: WantTofu, path: map[string]string{"tofu": "OpenTofu v1.7.3\n"}, found: built, says: "older than 1.8"},
		{name: "terraform is never built", want: WantTerraform, path: map[string]string{"tofu": "OpenTofu v1.10.0\n"}, wantErr: ErrNoTerraform},
		{name: "terraform that is too old is none", want: WantTerraform, path: map[string]string{"terraform": "Terraform v1.7.5\n"}, says: "older than 1.8", wantErr: ErrNoTerraform},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			var said bytes.Buffer
			f := finder{
				lookPath: func(name string) (string, error) {
					answer, ok := tt.path[name]
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
			found, err := f.find(t.Context(), tt.want)
			if !errors.Is(err, tt.wantErr) {
				t.Fatalf("error %v, want %v", err, tt.wantErr)
			}
			if tt.wantErr == nil && !strings.HasPrefix(found.String(), tt.found) {
				t.Errorf("found %s, want %s", found, tt.found)
			}
			if tt.says == "" && said.Len() > 0 || !strings.Contains(said.String(), tt.says) {
				t.Errorf("said %q, want %q", said.String(), tt.says)
			}
		})
	}
}

func TestFind_byPath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		want    func(t *testing.T) string
		wantErr string
	}{
		{name: "an executable is taken", want: func(t *testing.T) string { return fakeCLI(t, "tofu-next", "OpenTofu v1.13.0-beta1\n") }},
		{name: "one that is too old is refused", want: func(t *testing.T) string { return fakeCLI(t, "terraform", "Terraform v1.5.7\n") }, wantErr: "too old"},
		{name: "a missing file is named", want: func(t *testing.T) string { return filepath.Join(t.TempDir(), "terraform") }, wantErr: "no such file"},
		{name: "a word that is no wish lists the wishes", want: func(*testing.T) string { return "terrafrom" }, wantErr: "say any, terraform, tofu or a path"},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			want := tt.want(t)
			found, err := Find(t.Context(), want, io.Discard)
			if tt.wantErr == "" {
				if err != nil || found.Path != want {
					t.Fatalf("found %v, %v, want %s", found, err, want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("error %v, want one with %q", err, tt.wantErr)
			}
		})
	}
}

// testBuilder compiles by copying a fake CLI, and counts how often.
func testBuilder(t *testing.T, dir string, progress io.Writer, compiled *atomic.Int32) builder {
	t.Helper()
	return builder{
		path:     filepath.Join(dir, "tofu-v1.12.6", "tofu"+executableSuffix()),
		name:     "OpenTofu v1.12.6",
		progress: progress,
		compile: func(_ context.Context, out string) error {
			compiled.Add(1)
			// The answer lies beside the final name, where the fake looks for it.
			source := fakeCLI(t, "tofu", "OpenTofu v1.12.6\n")
			if err := os.Rename(filepath.Join(filepath.Dir(source), answerFile), filepath.Join(dir, "tofu-v1.12.6", answerFile)); err != nil {
				return err
			}
			return os.Rename(source, out)
		},
	}
}

func TestBuilder_replacesWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var compiled atomic.Int32
	b := testBuilder(t, dir, io.Discard, &compiled)
	noError(t, os.MkdirAll(filepath.Dir(b.path), 0o700))
	noError(t, os.WriteFile(b.path, []byte("half a file"), 0o700))
	if _, err := b.ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect.Is(t, compiled.Load(), 1, "compiled times")
}

func TestBuilder_leavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var compiled atomic.Int32
	b := testBuilder(t, dir, io.Discard, &compiled)
	b.compile = func(_ context.Context, out string) error {
		if err := os.WriteFile(out, []byte("half a file"), 0o600); err != nil {
			return err
		}
		return errors.New("no space left on device")
	}
	_, err := b.ensure(t.Context())
	if err == nil || !strings.Contains(err.Error(), "building OpenTofu v1.12.6: no space left on device") {
		t.Fatalf("error %v, want the compiler's", err)
	}
	entries, err := os.ReadDir(filepath.Dir(b.path))
	noError(t, err)
	expect.False(t, len(entries) > 0, "%v are left behind", entries)
}

func TestTofuVersion_isTheOneTheToolModuleRequires(t *testing.T) {
	t.Parallel()
	version, err := tofuVersion(t.Context(), filepath.Join("..", "tools", "tofu"))
	noError(t, err)
	expect.True(t, strings.HasPrefix(version, "v1."), "version %q, want one of major version 1", version)
	if _, err := tofuVersion(t.Context(), filepath.Join("..", "..")); err == nil {
		t.Error("the main module requires no OpenTofu, and no error says so")
	}
}

func TestWriteDevOverrides(t *testing.T) {
	t.Parallel()
	provider := filepath.Join(t.TempDir(), `a "quoted" ${odd} %{name}`)
	path, err := WriteDevOverrides(t.TempDir(), provider)
	noError(t, err)
	content, err := os.ReadFile(path)
	noError(t, err)
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
	if got := Environ(base, "/config"); !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}

	for product, host := range map[Product]string{Terraform: "registry.terraform.io", OpenTofu: "registry.opentofu.org"} {
		got := (&CLI{Path: "/cli", Product: product}).AcceptanceEnviron(base, "/config")
		want := append(slices.Clone(want), "TF_ACC=1", "TF_ACC_TERRAFORM_PATH=/cli",
			"TF_ACC_PROVIDER_NAMESPACE=einvoice-br", "TF_ACC_PROVIDER_HOST="+host)
		expect.True(t, slices.Equal(got, want), "environment of acceptance on %s %q, want %q", product, got, want)
	}
}
