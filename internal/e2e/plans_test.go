package e2e_test

import (
	"flag"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

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

// A service may write a name in its own way: it is one object, in state, whose plan is empty, and that imports find.
func TestSpellings_ofTheServiceAreTheSameObject(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Noun, At, Given, Shown string
		ImportBy               string // in the given spelling; none where it is empty
	}](t, "spellings_of_the_service.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			kind := map[string]string{"webhook": sandbox.KindWebhooks, "customer": sandbox.KindCustomers, "product": sandbox.KindProducts}[test.Noun]
			arguments := object{test.At: test.Given}
			for at, value := range map[string]object{
				"webhook": {"event": "invoice.authorized"}, "customer": {"name": "Ana"}, "product": {"name": "Pão", "code": "P-1"},
			}[test.Noun] {
				if arguments[at] == nil {
					arguments[at] = value
				}
			}
			p := testkit.Serve(t, s, nil)
			o := p.Object("einvoice_" + test.Noun)
			field := map[string]string{"federal_tax_number": "federalTaxNumber"}[test.At]
			if field == "" {
				field = test.At
			}
			patch := map[string]any{field: test.Shown}
			if test.At == "extra_json" {
				patch = map[string]any{"notes": "Pa\u0303o"}
			}
			id, _ := o.MustCreate(arguments)["id"].(string)
			s.Patch(kind, id, patch)
			said := o.Refresh()
			config := o.Value(o.Type, arguments)
			if action := o.Action(o.MustPlan(config)); action != plancheck.ResourceActionNoop || len(said) > 0 {
				t.Errorf("the next plan is to %s, and says %s", action, testkit.TextsOf(said))
			}
			if test.ImportBy != "" {
				other := p.Object("einvoice_" + test.Noun)
				o.MustNotFail(other.Import(test.ImportBy + test.Given))
				if action := other.Action(other.MustPlan(config)); action != plancheck.ResourceActionNoop {
					t.Errorf("the plan after an import is to %s", action)
				}
			}
		})
	}
}

// Core drops names that an object does not have. What is left of it holds nothing.
func TestObjects_thatHoldNothingWarnAndSettle(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for name, test := range rows.Read[map[string]struct {
		Kind      string
		Arguments object
		Want      string
	}](t, "objects_that_hold_nothing.json") {
		o := p.Object("einvoice_" + test.Kind)
		config := o.Value(o.Type, ofOwnCompany(s, test.Arguments))
		planned, said := o.Plan(config)
		text := testkit.TextsOf(said)
		if testkit.ErrorsIn(said) != "" || (test.Want == "") != (text == "") || !strings.Contains(text, test.Want) {
			t.Errorf("%s: the plan says %q, want %q", name, text, test.Want)
			continue
		}
		if test.Kind != "customer" || test.Want == "" {
			continue
		}
		if said := o.Apply(config, planned); len(said) > 0 {
			t.Errorf("%s: the apply says %s", name, testkit.TextsOf(said))
		}
		o.MustNotFail(o.Refresh())
		action := o.Action(o.MustPlan(config))
		expect.False(t, action != plancheck.ResourceActionNoop, "%s: the next plan is to %s", name, action)
	}
}

func TestImports_ofWhatCannotBeAnIDSayWhatCan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for _, test := range []struct{ kind, id, want string }{
		{"customer", `"77c0"`, "Invalid import ID"},
		{"product", "77c0\n", "Invalid import ID"},
		{"customer", "{77c0}", "Invalid import ID"},
		{"customer", "11222333000181", `Did you mean "federal_tax_number=11222333000181"`},
		{"webhook", "'77c0'", "Invalid import ID"},
		{"order", `"77c0"`, "Invalid import ID"},
		{"invoice_issuance", `serviceInvoice/"77c0"`, "Invalid import ID"},
	} {
		if said := testkit.TextsOf(p.Object("einvoice_" + test.kind).Import(test.id)); !strings.Contains(said, test.want) {
			t.Errorf("%s %q: it says %q, want %q", test.kind, test.id, said, test.want)
		}
	}
	expect.False(t, len(s.Requests()) > 0, "%d requests", len(s.Requests()))
	s.Inject(sandbox.Fault{Method: "GET", Kind: sandbox.FaultStatus, Status: 400, Message: "not valid", Times: 3})
	for _, test := range []struct{ kind, id string }{{"customer", "imp-1"}, {"order", "imp-1"}, {"invoice_issuance", "serviceInvoice/imp-1"}} {
		if said := testkit.TextsOf(p.Object("einvoice_" + test.kind).Import(test.id)); !strings.HasPrefix(said, "Invalid import ID") {
			t.Errorf("%s: of an id that the service refuses it says %q", test.kind, said)
		}
	}
}

// A heredoc is how Terraform users write text. The layout of the NF-e has no line breaks.
func TestTexts_warnOfWhatTheLayoutRefuses(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for kind, of := range rows.Read[map[string]struct {
		Valid  object
		Values []struct{ At, Value, Want string } // what the warning says; "" for none
	}](t, "texts_warn_of_what_the_layout_refuses.json") {
		for _, test := range of.Values {
			arguments, o := maps.Clone(of.Valid), p.Object(kind)
			testkit.Set(arguments, test.At, test.Value)
			_, diagnostics := o.Plan(o.Value(o.Type, arguments))
			said := ""
			for _, d := range diagnostics {
				if strings.HasPrefix(d.Summary, "Text that an invoice may not carry") {
					said += d.Detail
				}
			}
			expect.False(t, (said != "") != (test.Want != "") || !strings.Contains(said, test.Want),
				"%s.%s: %q is answered with %q, want %q", kind, test.At, test.Value, said, test.Want)
		}
	}
}

// FuzzImportID gives every resource that can be imported any text as its id. No text leads to a request that changes
// something or that goes elsewhere, and none is imported that the service does not know.
func FuzzImportID(f *testing.F) {
	for _, id := range []string{"a", "", "serviceInvoice/a", "serviceInvoice/../companies", "federal_tax_number=11.222.333/0001-81", "federal_tax_number=", "code=a&b=c", "event=a,url=https://a,b=c", "serviceInvoice/integration_id=a/../b", "11222333000181/serviceInvoice/integration_id=a", "transaction_id=a", "//evil.example/x", "?a=b#c", "a\r\nX: y", "\xff"} {
		f.Add(id)
	}
	searched := []string{"/v1/companies", "/v1/customers", "/v1/products", "/v1/webhooks", "/v1/orders", "/v1/service-invoices", "/v1/product-invoices", "/v1/consumer-invoices"}
	s := sandbox.Start(f, sandbox.Options{})
	f.Fuzz(func(t *testing.T, id string) {
		s.ResetRequests()
		server := testkit.Serve(t, s, nil)
		for _, kind := range []string{
			"einvoice_company", "einvoice_company_settings", "einvoice_customer", "einvoice_product", "einvoice_webhook",
			"einvoice_invoice_issuance", "einvoice_order", "einvoice_correction_letter", "einvoice_inbound_manifestation",
		} {
			resp, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			for _, d := range resp.Diagnostics {
				expect.False(t, d.Summary == "Provider bug", "%s, %q: %s", kind, id, d.Detail)
			}
		}
		for _, r := range s.Requests() {
			expect.False(t, r.Method != http.MethodGet || !slices.Contains(searched, r.Path),
				"importing %q sent %s %s", id, r.Method, r.Path)
		}
	})
}
