package e2e_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
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
		expect.False(t, test.Never != "" && strings.Contains(text, test.Never),
			"%s: it has %q: %s", name, test.Never, text)
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

var writePlans = flag.Bool("write-plans", false, "write the plan texts in testdata/plans instead of comparing with them")

var planNoise = []struct {
	of *regexp.Regexp
	is string
}{
	{regexp.MustCompile(`(?s)^.*?(?:Terraform|OpenTofu) (will perform the following actions|planned the following actions|detected the following changes)`), "The CLI $1"},
	{regexp.MustCompile(`(?s)\n─+\n.*$`), "\n"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+/[0-9a-f]{8}`), "<account>"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[-+]\d\d:\d\d)`), "<time>"},
	{regexp.MustCompile(`(digest_value|protocol)( *=) "[^"]+"`), `$1$2 "<authority's>"`},
	{regexp.MustCompile(`(?m) +$`), ""},
	// Where a line breaks depends on what stood in the place of <uuid>.
	{regexp.MustCompile(`on main\.tf line \d+, in`), "in"},
	{regexp.MustCompile(`(?m)^ +\d+: `), "  "},
}

// What the reviewer reads of the changes that people review most. A line that does not belong into a text is a defect,
// whatever the state is afterwards.
func TestAccPlanTexts_readLikeSentences(t *testing.T) {
	t.Parallel()
	for name, drift := range map[string]func(*sandbox.Server){"create": nil, "change": driftOfPlans, "destroy": nil} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			w := testkit.NewAttached(t, "")
			writes := func(step string) bool { // Whether there is such a configuration.
				body, err := os.ReadFile(filepath.Join("testdata", "plans", name+"."+step+".tf"))
				if err == nil {
					w.Write(testkit.Config(s, strings.ReplaceAll(string(body), "OWNER", s.OwnerCompanyID())))
				}
				return err == nil
			}
			if writes("given") {
				w.MustApply()
			}
			if drift != nil {
				drift(s)
			}
			args := []string{"plan", "-input=false"}
			if !writes("wanted") {
				args = append(args, "-destroy")
			}
			text := w.MustRun(args...)
			for _, noise := range planNoise {
				text = noise.of.ReplaceAllString(text, noise.is)
			}
			file := filepath.Join("testdata", "plans", name+".txt")
			if *writePlans {
				replaceFile(t, file, text)
				return
			}
			want := fileText(t, file)
			expect.Same(t, want, text, "the plan reads otherwise than in %s; if that is meant, write it with -write-plans", file)
		})
	}
}

// driftOfPlans is what changes outside before the plan that changes most.
func driftOfPlans(s *sandbox.Server) {
	for _, customer := range s.Objects(sandbox.KindCustomers) {
		if customer["name"] == "João" {
			s.Patch(sandbox.KindCustomers, customer["id"].(string), object{"phone": "1100000000"})
		}
	}
	for _, webhook := range s.Objects(sandbox.KindWebhooks) {
		if webhook["event"] == "invoice.rejected" {
			s.Remove(sandbox.KindWebhooks, webhook["id"].(string))
		} else {
			s.Patch(sandbox.KindWebhooks, webhook["id"].(string), object{"enabled": false})
		}
	}
}
