package inbound_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
		if got := failed == "" && imported.State()["status"] == "confirmed"; got != want {
			t.Errorf("%q: %v, %q, %v", text, got, failed, imported.State())
		}
	}
}
