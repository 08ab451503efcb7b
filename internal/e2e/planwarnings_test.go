package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A reviewer sees the plan only: whatever is dangerous or frightening in it has a sentence, and none sends a request
// that changes anything. Some of them a CLI would drop, so that a CLI is asked.
func TestAccPlans_sayWhatAReviewerMustKnow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	nfe, reviewed := fixture.AuthorizedNFe(s), fileText(t, filepath.Join("testdata", "plans", "reviewed.tf"))
	config := func(replace ...string) string {
		return testkit.Config(s, strings.NewReplacer(append(replace, "NFE", nfe)...).Replace(reviewed))
	}
	w := testkit.NewAttached(t, config())
	w.MustApply()
	s.ResetRequests()
	for name, test := range rows.Read[map[string]struct {
		Replace, Args []string
		Fails         bool
		Want          []string
		Never         string
	}](t, "plans_say_what_a_reviewer_must_know.json") {
		w.Write(config(test.Replace...))
		text, ok := w.Run(append([]string{"plan", "-input=false"}, test.Args...)...)
		text = strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
		expect.False(t, ok == test.Fails, "%s: it succeeds %t: %s", name, ok, text)
		for _, want := range test.Want {
			expect.True(t, strings.Contains(text, want), "%s: it lacks %q: %s", name, want, text)
		}
		if test.Never != "" && strings.Contains(text, test.Never) {
			t.Errorf("%s: it has %q: %s", name, test.Never, text)
		}
	}
	w.Write(testkit.Config(s, `
import {
  to = einvoice_invoice_issuance.there
  id = "serviceInvoice/integration_id=sale-1"
}
resource "einvoice_invoice_issuance" "there" {
  model          = "serviceInvoice"
  integration_id = "sale-1"
  payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 320.5 } })
}`))
	w.MustRun("state", "rm", "einvoice_invoice_issuance.sale")
	if text := w.MustRun("plan", "-input=false", "-target=einvoice_invoice_issuance.there"); !strings.Contains(text, "Importing NFS-e 1 (sale-1) sends nothing") {
		t.Errorf("the import says %s", text)
	}
	fixture.WantWrites(t, s, 0)
}
