package e2e_test

import (
	"os"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// onNextMachine gives the workspace a cache directory that knows nothing.
func onNextMachine(w *testkit.Workspace) {
	w.Environ = append(w.Environ, message.EnvCacheDir+"="+w.T.TempDir())
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func replaceFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func removeFile(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	replaceFile(t, to, fileText(t, from))
}

// cutFile leaves half of a file.
func cutFile(t *testing.T, name string) {
	t.Helper()
	text := fileText(t, name)
	replaceFile(t, name, text[:len(text)/2])
}
