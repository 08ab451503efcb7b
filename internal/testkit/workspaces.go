package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// Squeezed takes the line breaks and bars of a CLI out of its messages.
func Squeezed(output string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(output)), " ")
}

// ServedProvider is the provider as Serve serves it.
func ServedProvider() tfprotov6.ProviderServer {
	return provider.NewServer(nil, "")
}

// OnceConfig issues order-1 as the main company. What the machine may use of
// the limits is not what these tests are about.
func OnceConfig(s *sandbox.Server, extra string) string {
	return Config(s, fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({
    description        = "Consulting"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 100 }
  })
%s
}`, extra))
}

// KilledDuring applies, and kills the CLI and its providers when the service gets the request.
func KilledDuring(t *testing.T, w *Workspace, s *sandbox.Server, method, path string) {
	t.Helper()
	EndedDuring(t, w, s, method, path, syscall.SIGKILL)
}

// EndedDuring applies, and sends a signal to the CLI and its providers, as a terminal or a container does, when the
// service gets the request. It returns what the run said.
func EndedDuring(t *testing.T, w *Workspace, s *sandbox.Server, method, path string, signal syscall.Signal) string {
	t.Helper()
	cmd, output := w.Command("apply", "-auto-approve", "-input=false")
	started, reached, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	s.Before(method, path, func() {
		<-started
		close(reached)
		ended <- cli.SignalGroup(cmd, signal)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); err == nil {
		t.Fatalf("the run was to be ended, but ended well:\n%s", output)
	}
	select {
	case <-reached:
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("the run ended by itself:\n%s", output)
	}
	return output.String()
}

// OrderBody sells one service to Maria as t-1; more lines add to that.
func OrderBody(more string) string {
	return fmt.Sprintf(`
resource "einvoice_order" "test" {
  transaction_id = "t-1"
  amount         = 100
  customer       = { name = "Maria", federal_tax_number = "52998224725" }
  items = [{
    quantity = 4
    price    = 25
    amount   = 100
    product  = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" }
  }]
  %s
}
`, more)
}

// PatchAll changes every object of a kind outside of Terraform.
func PatchAll(s *sandbox.Server, kind string, fields map[string]any) {
	for _, object := range s.Objects(kind) {
		s.Patch(kind, fmt.Sprint(object["id"]), fields)
	}
}

// ExamplesDir is where the examples are, seen from a package in internal.
const ExamplesDir = "../../examples"

// ExampleVersions stands in for the terraform block that examples of the docs leave out.
const ExampleVersions = `
terraform {
  required_providers {
    einvoice = {
      source = "einvoice-br/einvoice"
    }
  }
}
`

// isImport tells an example of importing from what there is to apply.
func isImport(name string) bool { return strings.HasPrefix(name, "import") }

// isFurther says whether a file is a further example of a page, which stands alone:
// resource_2_draft.tf beside resource.tf.
func isFurther(name string) bool { return strings.HasPrefix(name, "resource_") }

// ExampleWorkspace holds what there is to apply of an example: a directory, or a further example in one.
func ExampleWorkspace(t *testing.T, s *sandbox.Server, example string) *Workspace {
	t.Helper()
	w := NewAttached(t, ExampleVersions)
	w.TakeExample(s, example)
	return w
}

// TakeExample copies what there is to apply of an example, for the sandbox.
func (w *Workspace) TakeExample(s *sandbox.Server, example string) {
	w.T.Helper()
	t := w.T
	fixture.ExpectConfiguredPFX(s)
	w.UseByEnvironment(s)
	files := []string{example}
	if filepath.Ext(example) != ".tf" {
		found, err := filepath.Glob(filepath.Join(example, "*.tf"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(
			found,
			func(file string) bool { return isImport(filepath.Base(file)) || isFurther(filepath.Base(file)) },
		)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.Dir, filepath.Base(file)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var wrapping = regexp.MustCompile(`\s*\n[│|]?\s*`)

// Unwrapped undoes the wrapping of a CLI's diagnostics.
func Unwrapped(output string) string {
	return wrapping.ReplaceAllString(output, " ")
}
