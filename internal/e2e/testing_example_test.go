package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// sandboxProgram is the sandbox as a program of its own.
var sandboxProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join(os.Getenv(message.EnvCacheDir), "einvoice-sandbox")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	_, err := cli.Output(exec.CommandContext(context.Background(), "go", "build", "-o", program, "../cmd/sandbox"))
	return program, err
})

// copyExample copies an example with all that is below it, but nothing that a
// run in it has left there.
func copyExample(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{".*", "*.tfstate*", "*/.*", "*/*.tfstate*"} {
		left, err := filepath.Glob(filepath.Join(to, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// takeTesting makes a workspace a copy of examples/testing whose modules are installed, as
// `init` does it for a provider that a registry knows.
func takeTesting(t *testing.T, w *testkit.Workspace) *testkit.Workspace {
	t.Helper()
	removeFile(t, filepath.Join(w.Dir, "main.tf"))
	copyExample(t, filepath.Join(testkit.ExamplesDir, "testing"), w.Dir)
	w.MustRun("get")
	return w
}

// sandboxedTest runs the CLI's tests as the example's README says.
func sandboxedTest(t *testing.T, w *testkit.Workspace, args ...string) (output string, ok bool) {
	t.Helper()
	args = append([]string{"-script", filepath.Join("tests", "outcomes.json"), w.Cli.Path, "test", "-no-color"}, args...)
	program, err := sandboxProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = w.Dir, w.Environ
	cmd.WaitDelay = 5 * time.Second
	shown, err := cli.Output(cmd)
	if err != nil {
		return err.Error(), false
	}
	return string(shown), true
}

func TestAccTestingExample_passesAgainstTheSandbox(t *testing.T) {
	t.Parallel()
	output, ok := sandboxedTest(t, takeTesting(t, testkit.NewWorkspace(t, "", "")))
	if !ok || !strings.Contains(output, "Success! 11 passed, 0 failed.") {
		t.Errorf("the tests of the example do not pass:\n%s", output)
	}
}

// The tests on a mocked provider need nothing of the service: there is none.
func TestAccTestingExample_isTestedWithoutTheService(t *testing.T) {
	t.Parallel()
	w := takeTesting(t, testkit.NewAttached(t, ""))
	if output := w.MustRun("test", "-filter="+filepath.Join("tests", "mocked.tftest.hcl")); !strings.Contains(output, "Success! 3 passed, 0 failed.") {
		t.Errorf("the tests of the example do not pass:\n%s", output)
	}
}

// TestAccTestingExample_failsWhereItShould breaks the module and the script: tests that
// cannot fail are no example.
func TestAccTestingExample_failsWhereItShould(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tests, file, from, to, want string }{
		{
			"a module that gets the total wrong", "sales", "main.tf", "sum(amounts)", "sum(amounts) + 1",
			"The total of the invoice is not the sum of its items.",
		},
		{
			"a module that names a sale anew each time", "sales", "main.tf", "= each.key\n", "= \"${each.key}-${formatdate(\"hhmmss\", timestamp())}\"\n",
			"issues_none_twice\"... fail",
		},
		{
			"an authority that rejects a sale", "authority", "tests/outcomes.json", `"kind": "contingency", "then": { "kind": "authorize", "delay": "1h" }`, `"kind": "reject", "code": "778", "message": "Rejeição: Informado NCM inexistente"`,
			"Informado NCM inexistente",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := takeTesting(t, testkit.NewWorkspace(t, "", ""))
			w.Edit(tt.file, tt.from, tt.to)
			output, ok := sandboxedTest(t, w, "-filter="+filepath.Join("tests", tt.tests+".tftest.hcl"))
			if ok || !strings.Contains(testkit.Unwrapped(output), tt.want) {
				t.Errorf("the tests pass: %t, want a failure that says %q:\n%s", ok, tt.want, output)
			}
		})
	}
}
