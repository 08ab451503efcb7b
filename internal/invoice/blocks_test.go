package invoice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const issuance = "einvoice_invoice_issuance"

func saleArguments() map[string]any {
	return map[string]any{
		"model": "serviceInvoice", "integration_id": "sale-1",
		"payload_json": `{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`,
	}
}

// A plan may change the environment beside a new invoice. Planned first, the settings tell what it becomes; planned
// second, they warn. Two provider blocks are two processes, and know it of each other. The apply issues nothing by what
// was read before the settings were written.
func TestIssuance_environmentThatChangesBesideIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		next             string
		first, twoBlocks bool // the settings are planned first, and have a block of their own
	}{
		"settings first":             {"production", true, false},
		"settings first, two blocks": {"production", true, true},
		"allowed, settings first":    {"simulation", true, true},
		"invoice first":              {"production", false, false},
		"invoice first, two blocks":  {"production", false, true},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": "development"}})
			p := testkit.Serve(t, s, map[string]any{"environments": []any{"development", "simulation"}})
			other := p
			if test.twoBlocks {
				other = testkit.Serve(t, s, nil)
			}
			invoice, settings := p.Object(issuance), other.Object("einvoice_company_settings")
			config := invoice.Value(invoice.Type, saleArguments())
			changed := settings.Value(settings.Type, map[string]any{
				"company_id": s.OwnerCompanyID(), "service_invoice": map[string]any{"environment_type": test.next},
			})
			if test.first {
				settings.MustPlan(changed)
			}
			planned, said := invoice.Plan(config)
			if test.first && test.next == "production" {
				expect.Contains(t, testkit.ErrorsIn(said), "This plan changes the environment of `serviceInvoice` to \"production\"")
				return
			}
			known := any(nil)
			if !test.first {
				known = "development"
				_, said := settings.Plan(changed)
				expect.Contains(t, testkit.TextsOf(said), "Environment changes beside a new invoice")
			}
			shown := testkit.At(testkit.JSON(t, invoice.Unpack(planned.PlannedState, invoice.Type)), "environment_type")
			expect.Is(t, shown, known, "the plan shows the environment")
			settings.MustNotFail(settings.Apply(changed, settings.MustPlan(changed)))
			if said = invoice.Apply(config, planned); test.first {
				invoice.MustNotFail(said)
				expect.Is[any](t, invoice.State()["environment_type"], test.next, "the environment in state")
				return
			}
			expect.Contains(t, testkit.ErrorsIn(said), "Issuing in production is not allowed")
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 0)
		})
	}
}

// A provider that dies in an update leaves a state without its notes. What it has sent is known all the same, however
// late the next run is.
func TestIssuance_providerThatDiedWhileItIssuedADraft(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(*testkit.Object){"interrupted": func(*testkit.Object) {}, "died": (*testkit.Object).Crash} {
		for late, pause := range map[string]time.Duration{"at once": 0, "an hour later": time.Hour} {
			rows.Case(t, name+" "+late, func(t *testing.T) {
				testkit.OnClock(t, sandbox.Options{}, func(t *testing.T, s *testkit.Clocked) {
					o := s.Process(nil).Object(issuance)
					arguments := saleArguments()
					arguments["issue"] = false
					o.MustCreate(arguments)
					arguments["issue"], arguments["timeouts"] = true, map[string]any{"update": "1s"}
					arguments["payload_json"] = strings.Replace(arguments["payload_json"].(string), "Consulting", "Advice", 1)
					s.Inject(sandbox.Fault{Kind: sandbox.FaultStall, Method: "POST", Path: fixture.ServiceInvoices})
					config := o.Value(o.Type, arguments)
					expect.Contains(t, testkit.ErrorsIn(o.Apply(config, o.MustPlan(config))), "Interrupted while issuing")
					crash(o)
					<-time.After(pause)
					o.Protocol, arguments["timeouts"] = s.Process(nil), nil
					o.MustNotFail(o.Refresh())
					config = o.Value(o.Type, arguments)
					o.MustNotFail(o.Apply(config, o.MustPlan(config)))
					expect.Is[any](t, o.State()["status"], "authorized", "the status")
					expect.Is(t, o.Action(o.MustPlan(config)), plancheck.ResourceActionNoop, "the next plan")
					fixture.WantRequests(t, s.Server, "POST", fixture.ServiceInvoices, 2)
				})
			})
		}
	}
}
