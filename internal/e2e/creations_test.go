package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A CLI that is killed after the answer to a creation has no state of it. The next
// run takes over what the journal remembers, until a state was seen that holds it.
func TestAccCreations_areTakenOverFromARunWithoutState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: unmanaged})
	w := testkit.NewWorkspace(t, testkit.Config(s, `
resource "einvoice_customer" "test" {
  name = "Padaria"
}

provider "einvoice" {
  alias               = "second"
  base_url            = "`+s.BaseURL()+`"
  api_key             = "`+s.OwnerKey()+`"
  requests_per_minute = 0
  requests_per_second = 0
}

resource "einvoice_customer" "second" {
  provider = einvoice.second
  name     = "Padaria"
}

resource "einvoice_product" "test" {
  count      = 2
  name       = "Pão"
  code       = "P-1"
  extra_json = jsonencode({ ncm = "19059090" })
}

resource "einvoice_webhook" "test" {
  count   = 2
  event   = "invoice.authorized"
  url     = "https://erp.example/hooks?token=s3cr3t"
  enabled = false
}`), "")
	kinds := []string{sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks}
	state := filepath.Join(w.Dir, "terraform.tfstate")
	want := func(when string, each int) {
		t.Helper()
		for _, kind := range kinds {
			if n := len(s.Objects(kind)); n != each {
				t.Errorf("%s: %d %s, want %d", when, n, kind, each)
			}
		}
	}
	w.MustApply()
	want("two equal blocks in one run", 2)
	removeFile(t, state)
	said := w.MustApply()
	want("the run after a kill", 2)
	for _, warning := range []string{"Adopted customer Padaria", "Adopted product P-1 (Pão)", "Adopted webhook for invoice.authorized to https://erp.example/hooks?..."} {
		if !strings.Contains(said, warning) {
			t.Errorf("the run after a kill does not say %q:\n%s", warning, said)
		}
	}
	w.MustPlanNothing() // This tells the journal that a state holds them.
	removeFile(t, state)
	if said := w.MustApply(); strings.Contains(said, "Adopted") {
		t.Errorf("what was in a state is taken over:\n%s", said)
	}
	want("the run after a lost state", 4)
}

func TestCreations_sayHowToImportWhatExists(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const url, block = "https://erp.example/hooks?token=s3cr3t", `import \{\s+to = einvoice_%s\.NAME\s+id = "%s"\s+\}`
	for kind, test := range map[string]struct {
		arguments, held map[string]any
		title           string
	}{
		"customer": {
			map[string]any{"name": "Padaria", "federal_tax_number": "11.222.333/0001-81"},
			map[string]any{"name": "Another name", "federalTaxNumber": "11222333000181"},
			`Customer Padaria \(11222333000181\) already exists: `,
		},
		"product": {map[string]any{"name": "Pão", "code": "P-1"}, map[string]any{"code": "P-1"}, `Product P-1 \(Pão\) already exists: `},
		"webhook": {
			map[string]any{"event": "invoice.authorized", "url": url},
			map[string]any{"event": "invoice.authorized", "url": url},
			`Webhook for invoice\.authorized to https://erp\.example/hooks\?\.\.\. already exists: `,
		},
	} {
		want := func(advice, id string) {
			t.Helper()
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: "/v1/" + kind + "s", Status: 409, Message: "It exists."})
			_, said := testkit.Serve(t, s, nil).Object("einvoice_" + kind).Create(test.arguments)
			text := testkit.ErrorsIn(said)
			pattern := `(?s)` + test.title + `API message: It exists\..*` + advice + `.*` + fmt.Sprintf(block, kind, id)
			if !regexp.MustCompile(pattern).MatchString(text) || strings.Contains(text, "s3cr3t") {
				t.Errorf("the error is %q, want %s", text, pattern)
			}
		}
		want("Look up its id", "ID")
		id := s.Seed(kind+"s", test.held)
		want("Import it instead of creating it:", id)
		second := s.Seed(kind+"s", test.held)
		want("has 2 that match: "+id+", "+second, id)
	}
}
