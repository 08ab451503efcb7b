package inbound_test

import (
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
	refusedGoods  = "A mercadoria foi recusada na entrega."
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

func declare(s *sandbox.Server, id, status string) func() {
	return func() {
		s.Patch(sandbox.KindInbound, id, map[string]any{"manifestation": map[string]any{"status": status, "justification": nil, "date": "2026-11-20T10:00:00-03:00", "protocol": "891260000000001"}})
	}
}

func TestInboundManifestation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		held  string
		steps func(s *sandbox.Server, id string) []testkit.Step
		posts int
	}{
		"declares, and then what follows, in place": {held: "none", posts: 2, steps: func(_ *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{
				{Arguments: declaration(id, "acknowledged", ""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "acknowledged", "company": nil}},
				{Arguments: declaration(id, "notPerformed", refusedGoods), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "notPerformed"}},
				{Arguments: declaration(id, "notPerformed", refusedGoods+" Fim."), Fails: "takes the same declaration only once"},
				{Arguments: declaration(id, "acknowledged", ""), Fails: "Declared already: NF-e " + id + ".*as notPerformed.*Set `status` to \"notPerformed\""},
			}
		}},
		"another conclusion replaces": {held: "none", posts: 2, steps: func(_ *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{
				{Arguments: declaration(id, "unknown", refusedGoods)},
				{Arguments: declaration(id, "confirmed", ""), Plans: plancheck.ResourceActionReplace, State: map[string]any{"justification": nil}},
			}
		}},
		"takes over what is declared already": {held: "confirmed", steps: func(_ *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{{Arguments: declaration(id, "confirmed", ""), Plans: plancheck.ResourceActionCreate}}
		}},
		"does not take back what is declared already": {held: "confirmed", steps: func(_ *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{{Arguments: declaration(id, "acknowledged", ""), Fails: `Declared already: NF-e of .*rejection 655.*nothing was sent`}}
		}},
		"shows what was declared elsewhere": {held: "none", posts: 1, steps: func(s *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{
				{Arguments: declaration(id, "acknowledged", "")},
				{Before: declare(s, id, "confirmed"), Arguments: declaration(id, "acknowledged", ""), Fails: "Set `status` to \"confirmed\""},
				{Arguments: declaration(id, "confirmed", ""), Plans: plancheck.ResourceActionNoop, State: map[string]any{"date": "2026-11-20T10:00:00-03:00", "protocol": "891260000000001"}},
			}
		}},
		"forgets the justification of what was declared before": {held: "none", posts: 1, steps: func(s *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{
				{Arguments: declaration(id, "notPerformed", refusedGoods)},
				{Before: declare(s, id, "confirmed"), Arguments: declaration(id, "confirmed", ""), Plans: plancheck.ResourceActionNoop, State: map[string]any{"justification": nil}},
			}
		}},
		"is made again when the authority has rejected it": {held: "none", posts: 2, steps: func(s *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{
				{Arguments: declaration(id, "confirmed", "")},
				{Before: declare(s, id, "rejected"), Arguments: declaration(id, "confirmed", ""), Plans: plancheck.ResourceActionCreate},
			}
		}},
		"keeps the state when the next declaration is refused": {held: "none", posts: 3, steps: func(s *sandbox.Server, id string) []testkit.Step {
			refuse := func() {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: manifestPath, Status: 400, Message: "596: the period has ended."})
			}
			return []testkit.Step{
				{Arguments: declaration(id, "acknowledged", "")},
				{Before: refuse, Arguments: declaration(id, "confirmed", ""), Fails: "596: the period has ended", State: map[string]any{"status": "acknowledged"}},
				{Arguments: declaration(id, "confirmed", ""), Plans: plancheck.ResourceActionUpdate},
			}
		}},
		"checks its arguments": {held: "none", steps: func(_ *sandbox.Server, id string) []testkit.Step {
			return []testkit.Step{
				{Arguments: declaration(id, "unknown", ""), Fails: "Justification too short"},
				{Arguments: declaration(id, "unknown", "Não comprado."), Fails: "has 13 characters"},
				{Arguments: declaration(id, "rejected", ""), Fails: "acknowledged, confirmed, unknown, notPerformed"},
				{Arguments: declaration("7c9e6679-7425-40de-944b-e07fc1f90ae7", "confirmed", ""), Fails: "Inbound NF-e not found"},
			}
		}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			id := received(s, tt.held)
			testkit.Serve(t, s, nil).Object(manifestation).Run(tt.steps(s, id)...)
			fixture.WantRequests(t, s, "POST", manifestPath, tt.posts)
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
		"another status":               {map[string]any{"status": "notPerformed", "justification": refusedGoods}, refused},
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
	const manifest = "/v1/inbound-product-invoices/{id}/manifest"
	for name, tt := range map[string]struct {
		held, status     string
		justification    any
		prepare          func(s *sandbox.Server)
		last, want, left string
		posts            int
	}{
		"a declaration":            {held: "none", status: "confirmed", last: "is confirmed. Protocol ", left: "confirmed", posts: 1},
		"one with a justification": {held: "acknowledged", status: "notPerformed", justification: "A mercadoria foi recusada.", last: "is notPerformed.", left: "notPerformed", posts: 1},
		"one that is there":        {held: "confirmed", status: "confirmed", last: "is confirmed already; nothing was sent.", left: "confirmed"},
		"one that the authority refuses": {
			held: "none", status: "confirmed", want: "refuses its manifestation", left: "none", posts: 1,
			prepare: func(s *sandbox.Server) {
				s.Patch(sandbox.KindInbound, s.Objects(sandbox.KindInbound)[0]["id"].(string), map[string]any{"status": "canceled"})
			},
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			id := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": tt.held}})
			if tt.prepare != nil {
				tt.prepare(s)
			}
			arguments := map[string]any{"id": id, "status": tt.status, "justification": tt.justification}
			testkit.Serve(t, s, nil).Invoke("einvoice_inbound_manifest", arguments).Expect(t, tt.last, tt.want, "")
			fixture.WantRequests(t, s, "POST", manifest, tt.posts)
			held, _ := s.Object(sandbox.KindInbound, id)
			expect.Is[any](t, held["manifestation"].(map[string]any)["status"], tt.left, "the declaration")
		})
	}
}

func TestInboundSyncAction(t *testing.T) {
	t.Parallel()
	const sync = "/v1/inbound-product-invoices/sync"
	enabled := func(s *sandbox.Server, certificate bool) { fixture.ReceiveInbound(s, s.OwnerCompanyID(), certificate) }
	for name, tt := range map[string]struct {
		options    sandbox.Options
		arguments  map[string]any
		prepare    func(s *sandbox.Server)
		times      int // invocations; the last one is looked at
		last, want string
		posts      int
	}{
		"accepted, without waiting": {prepare: func(s *sandbox.Server) { enabled(s, true) }, times: 1, last: "The service has accepted the search.", posts: 1},
		"waited for, with new documents": {
			arguments: map[string]any{"wait": true}, times: 1, last: "The search has run: synchronized at", posts: 1,
			prepare: func(s *sandbox.Server) {
				enabled(s, true)
				s.QueueInbound(s.OwnerCompanyID(), map[string]any{})
			},
		},
		"waited for, and it fails for want of a certificate": {
			arguments: map[string]any{"wait": true}, times: 1, want: "Upload a valid digital certificate", posts: 1,
			prepare: func(s *sandbox.Server) { enabled(s, false) },
		},
		"waited for, and the answer is lost": {
			arguments: map[string]any{"wait": true}, times: 1, last: "The search has run: upToDate at", posts: 1,
			prepare: func(s *sandbox.Server) {
				enabled(s, true)
				s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: sync})
			},
		},
		"an interval that fits into the time is waited out": {
			options: sandbox.Options{SyncInterval: time.Second}, times: 2, last: "The service has accepted the search.", posts: 3,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
		"an interval beyond the timeout fails at once, with the time": {
			arguments: map[string]any{"timeout": "30s"}, times: 2, want: "which is beyond `timeout` (30s). Nothing was started.", posts: 2,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
		"a company without the feature is refused": {times: 1, want: "not enabled", posts: 1},
		"a search that does not show in time": {
			options: sandbox.Options{AuthorizeAfter: time.Hour}, arguments: map[string]any{"wait": true, "timeout": "2s"}, times: 1, want: "`timeout` (2s) is over", posts: 1,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			testkit.OnClock(t, tt.options, func(t *testing.T, s *testkit.Clocked) {
				if tt.prepare != nil {
					tt.prepare(s.Server)
				}
				p := s.Process(nil)
				var result testkit.Invoked
				began := time.Now()
				for range tt.times {
					result = p.Invoke("einvoice_inbound_sync", tt.arguments)
				}
				result.Expect(t, tt.last, tt.want, "")
				fixture.WantRequests(t, s.Server, "POST", sync, tt.posts)
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
