package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// A CLI that is killed after the answer to a creation has no state of it. The next
// run takes over what the journal remembers, until a state was seen that holds it.
func TestAccCreations_areTakenOverFromARunWithoutState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: unmanaged})
	w := acctest.NewWorkspace(t, acctest.Config(s, `
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
	loseState := func() {
		t.Helper()
		if err := os.Remove(filepath.Join(w.Dir, "terraform.tfstate")); err != nil {
			t.Fatal(err)
		}
	}
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
	loseState()
	said := w.MustApply()
	want("the run after a kill", 2)
	for _, warning := range []string{"Took over customer Padaria", "Took over product P-1 (Pão)", "Took over webhook for invoice.authorized to https://erp.example/hooks?..."} {
		if !strings.Contains(said, warning) {
			t.Errorf("the run after a kill does not say %q:\n%s", warning, said)
		}
	}
	w.MustPlanNothing() // This tells the journal that a state holds them.
	loseState()
	if said := w.MustApply(); strings.Contains(said, "Took over") {
		t.Errorf("what was in a state is taken over:\n%s", said)
	}
	want("the run after a lost state", 4)
}
