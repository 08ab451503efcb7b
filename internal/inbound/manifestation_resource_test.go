package inbound_test

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	manifestation = "einvoice_inbound_manifestation"
	manifestPath  = "/v1/inbound-product-invoices/{id}/manifest"
)

// declaration is the block of a declaration, with the justification where there is
// one.
func declaration(id, status, justification string) string {
	text := fmt.Sprintf("invoice_id = %q\nstatus = %q\n", id, status)
	if justification != "" {
		text += fmt.Sprintf("justification = %q\n", justification)
	}
	return text
}

func received(s *sandbox.Server, status string) string {
	return s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": status}})
}

func TestInboundManifestation(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Held  string
		Posts int
		Steps []struct {
			Elsewhere, Refused               string // before the run: what is declared, and what the next one is told
			Declares, Justification, Invoice string
			Plans                            plancheck.ResourceActionType
			Fails                            string
			State                            map[string]any
		}
	}](t, "inbound_manifestation.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			id := received(s, tt.Held)
			refusal := sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: manifestPath, Status: 400}
			var steps []testkit.Step
			for _, step := range tt.Steps {
				steps = append(steps, testkit.Step{
					Arguments: declaration(cmp.Or(step.Invoice, id), step.Declares, step.Justification),
					Plans:     step.Plans, Fails: strings.ReplaceAll(step.Fails, "ID", id), State: step.State,
					Before: func() {
						if step.Elsewhere != "" {
							s.Patch(sandbox.KindInbound, id, map[string]any{"manifestation": map[string]any{
								"status": step.Elsewhere, "justification": nil, "date": "2026-11-20T10:00:00-03:00",
								"protocol": "891260000000001",
							}})
						}
						if fault := refusal; step.Refused != "" {
							fault.Message = step.Refused
							s.Inject(fault)
						}
					},
				})
			}
			testkit.Serve(t, s, nil).Object(manifestation).Run(steps...)
			fixture.WantRequests(t, s, "POST", manifestPath, tt.Posts)
		})
	}
}

// TestInboundManifestation_answeredWithoutABody has in state at once what the next
// refresh shows: outputs would change with it.
func TestInboundManifestation_answeredWithoutABody(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{"with a body": {}, "without": {EmptyManifestAnswer: true}} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, options)
			id := received(s, "none")
			o := testkit.Serve(t, s, nil).Object(manifestation)
			state, said := o.Create(map[string]any{"invoice_id": id, "status": "confirmed"})
			said = append(said, o.Refresh()...)
			if state["protocol"] == nil || state["date"] == nil || state["protocol"] != o.State()["protocol"] || state["date"] != o.State()["date"] {
				t.Errorf("state has %v, and after a refresh %v: %s", state, o.State(), testkit.ErrorsIn(said))
			}
			fixture.WantRequests(t, s, "POST", manifestPath, 1)
		})
	}
}

func TestInboundManifestation_ofACompany(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	company, key := fixture.Company(s, fixture.BranchNumber)
	fixture.Company(s, fixture.OtherNumber)
	id := s.SeedInbound(company, map[string]any{"manifestation": map[string]any{"status": "none"}})
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: key}})
	o := p.Object(manifestation)
	by := func(company string) string {
		return declaration(id, "confirmed", "") + fmt.Sprintf("company = %q", company)
	}
	o.Run(
		testkit.Step{Arguments: by(fixture.OtherNumber), Fails: "The key is another company's.*11.444.777/0001-61.*11.222.333/0001-81"},
		testkit.Step{Arguments: by("11.222.333/0001-81"), State: map[string]any{"company": "11.222.333/0001-81"}},
		testkit.Step{Arguments: by(fixture.BranchNumber), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: by(fixture.OtherNumber), Fails: "Another company"},
	)
	fixture.WantRequests(t, s, "POST", manifestPath, 1)
	for text, want := range map[string]bool{"11.222.333/0001-81/" + id: true, fixture.BranchNumber + "/" + id: true, id: false, "branch/" + id: false, "": false, fixture.BranchNumber + "/": false} {
		imported := p.Object(manifestation)
		failed := testkit.ErrorsIn(imported.Import(text))
		expect.Is(t, failed == "" && imported.State()["status"] == "confirmed", want, "%q, %q, %v", text, failed, imported.State())
	}
}

// Both would be declared in each apply: the second one would find the first one's, and so on.
//
//nolint:paralleltest // The cases share a service.
func TestInboundManifestation_refusesTwoBlocksThatContradictEachOther(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := received(s, "none")
	refused := "Two declarations about one invoice: NF-e " + id
	for name, test := range map[string]struct {
		second map[string]any // where it differs from the first
		want   string
	}{
		"another status":               {map[string]any{"status": "notPerformed", "justification": "A carga foi recusada."}, refused},
		"another status, with company": {map[string]any{"status": "acknowledged", "company": "11222333000181"}, refused},
		"the same":                     {nil, ""},
		"a status not known yet":       {map[string]any{"status": tftypes.UnknownValue}, ""},
		"another invoice":              {map[string]any{"invoice_id": received(s, "none"), "status": "acknowledged"}, ""},
		"an invoice not known yet":     {map[string]any{"invoice_id": tftypes.UnknownValue, "status": "acknowledged"}, ""},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				p := testkit.Serve(t, s, nil)
				first, second := p.Object(manifestation), p.Object(manifestation)
				arguments := map[string]any{"invoice_id": id, "status": "confirmed"}
				if exists {
					first.MustCreate(arguments)
					p = testkit.Serve(t, s, nil) // Another run.
					first.Protocol, second.Protocol = p, p
				}
				first.MustPlan(first.Value(first.Type, arguments))
				maps.Copy(arguments, test.second)
				_, said := second.Plan(second.Value(second.Type, arguments))
				if failed := testkit.ErrorsIn(said); (failed == "") != (test.want == "") || !strings.Contains(failed, test.want) {
					t.Errorf("the plan of the second says %q, want %q", failed, test.want)
				}
			})
		}
	}
}

func TestInboundManifestAction(t *testing.T) {
	t.Parallel()
	type arguments = map[string]any
	for name, tt := range map[string]struct {
		held             string
		arguments        arguments
		invoice          string // its status
		last, want, left string
		posts            int
	}{
		"a declaration": {
			"none", arguments{"status": "confirmed"}, "authorized", "is confirmed. Protocol ", "", "confirmed", 1,
		},
		"one with a justification": {
			"acknowledged",
			arguments{"status": "notPerformed", "justification": "A mercadoria foi recusada."},
			"authorized",
			"is notPerformed.", "", "notPerformed", 1,
		},
		"one that is there": {
			"confirmed",
			arguments{"status": "confirmed"},
			"authorized",
			"is confirmed already; nothing was sent.", "", "confirmed", 0,
		},
		"one that the authority refuses": {
			"none", arguments{"status": "confirmed"}, "canceled", "", "refuses its manifestation", "none", 1,
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			tt.arguments["id"] = received(s, tt.held)
			id := tt.arguments["id"].(string)
			s.Patch(sandbox.KindInbound, id, map[string]any{"status": tt.invoice})
			testkit.Serve(t, s, nil).Invoke("einvoice_inbound_manifest", tt.arguments).Expect(t, tt.last, tt.want, "")
			fixture.WantRequests(t, s, "POST", manifestPath, tt.posts)
			held, _ := s.Object(sandbox.KindInbound, id)
			expect.Is[any](t, held["manifestation"].(map[string]any)["status"], tt.left, "the declaration")
		})
	}
}

func TestInboundSyncAction(t *testing.T) {
	t.Parallel()
	const sync = "/v1/inbound-product-invoices/sync"
	for name, tt := range rows.Read[map[string]struct {
		Certificate          string // of a company that receives: valid or none
		IsShort              bool   // the interval of searches: a second
		Queued, Lost, IsSlow bool   // a new document, the answer, the authority
		Arguments            map[string]any
		Former               int // invocations before the one that is looked at
		Last, Want           string
		Posts                int
	}](t, "inbound_sync_action.json") {
		rows.Case(t, name, func(t *testing.T) {
			var options sandbox.Options
			if tt.IsShort {
				options.SyncInterval = time.Second
			}
			if tt.IsSlow {
				options.AuthorizeAfter = time.Hour
			}
			testkit.OnClock(t, options, func(t *testing.T, s *testkit.Clocked) {
				if tt.Certificate != "" {
					fixture.ReceiveInbound(s.Server, s.OwnerCompanyID(), tt.Certificate == "valid")
				}
				if tt.Queued {
					s.QueueInbound(s.OwnerCompanyID(), map[string]any{})
				}
				if tt.Lost {
					s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: sync})
				}
				p, began := s.Process(nil), time.Now()
				for range tt.Former {
					p.Invoke("einvoice_inbound_sync", tt.Arguments)
				}
				p.Invoke("einvoice_inbound_sync", tt.Arguments).Expect(t, tt.Last, tt.Want, "")
				fixture.WantRequests(t, s.Server, "POST", sync, tt.Posts)
				if took := time.Since(began); took > 25*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestInboundManifest_refusesAMissingJustification(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	const name = "einvoice_inbound_manifest"
	for status, arguments := range map[string]map[string]any{
		"notPerformed": {}, "unknown": {"justification": "não"}, "confirmed": {}, "acknowledged": {"justification": "não"},
	} {
		arguments["id"], arguments["status"] = "1", status
		config := p.Config(p.Schemas.ActionSchemas[name].Schema, arguments)
		valid := testkit.Answered(t, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
			ActionType: name, Config: config,
		})
		if refuses := testkit.ErrorsIn(valid.Diagnostics) != ""; refuses != (status == "notPerformed" || status == "unknown") {
			t.Errorf("%s: %v", status, valid.Diagnostics)
		}
	}
}

const withoutCertificate = "certificateMissingOrExpired"
