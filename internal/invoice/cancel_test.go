package invoice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const mistake = `cancellation_reason = "Ordered twice by mistake"`

// A plan has said what a destroy does by the status that is in state.
func TestIssuance_destroyDoesWhatThePlanHasSaid(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Planned, Found, Reason string
		Fails                  string
		Deletes                int
	}](t, "issuance_destroy_does_what_the_plan_has_said.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object(kind)
			o.Run(testkit.Step{Arguments: sale("", "accept_contingency = true\n"+test.Reason)})
			id := fmt.Sprint(onlyInvoice(t, s)["id"])
			s.SetInvoiceStatus(id, test.Planned)
			o.MustNotFail(o.Refresh())
			s.SetInvoiceStatus(id, test.Found)
			failed, succeeds := o.End(), test.Fails == ""
			if (failed == "") != succeeds || !strings.Contains(failed, test.Fails) || (o.State() == nil) != succeeds {
				t.Errorf("the destroy says %q, want %q, and leaves %v", failed, test.Fails, o.State())
			}
			fixture.WantRequests(t, s, "DELETE", "", test.Deletes)
		})
	}
}

// The plan says once what a renaming does, whichever block it plans first. It names each
// invoice that a destroy cancels, and says no more of what the new block adopts.
func TestIssuance_plansOfRenamedBlocksAreShort(t *testing.T) {
	t.Parallel()
	const renamed, removes = "Renamed without a `moved` block: NFS-e", "Destroy only removes invoices from state"
	for _, test := range rows.Read[[]struct {
		Reason   string
		OldFirst bool
		Want     string
	}](t, "issuance_plans_of_renamed_blocks_are_short.json") {
		t.Run(test.Want, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			olds := map[string]*testkit.Object{}
			named := func(id string) string { return strings.Replace(sale("", test.Reason), "order-1", id, 1) }
			for _, id := range []string{"order-1", "order-2"} {
				olds[id] = p.Object(kind)
				olds[id].Run(testkit.Step{Arguments: named(id)})
			}
			p.Configure(map[string]any{"base_url": s.BaseURL(), "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0})
			var got []string
			hear := func(_ *tfprotov6.PlanResourceChangeResponse, said []*tfprotov6.Diagnostic) {
				for _, d := range said {
					got = append(got, d.Summary)
				}
			}
			for _, id := range []string{"order-1", "order-2"} {
				steps := []func(){
					func() { o := p.Object(kind); hear(o.Plan(o.Value(o.Type, o.Arguments(named(id))))) },
					func() { hear(olds[id].PlanDestroy()) },
				}
				if test.OldFirst {
					slices.Reverse(steps)
				}
				for _, step := range steps {
					step()
				}
			}
			if all := strings.Join(got, "; "); all != test.Want {
				t.Errorf("with %q, the old block first %t, the plans say\n%s\nwant\n%s", test.Reason, test.OldFirst, all, test.Want)
			}
		})
	}
}

// A plan in which one block cancels what another block keeps is refused, whichever of the two it plans first, unless the
// journal knows that the leaving block has it no more.
func TestIssuance_noPlanCancelsWhatAnotherBlockKeeps(t *testing.T) {
	t.Parallel()
	for _, oldFirst := range []bool{true, false} {
		for how, want := range map[string]string{
			"imported": "One block keeps NFS-e 1 (order-1), another one cancels it", "adopted": "another block has it, so nothing is canceled",
		} {
			t.Run(fmt.Sprint(how, " ", oldFirst), func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, sandbox.Options{})
				p := testkit.Serve(t, s, nil)
				old, kept := p.Object(kind), p.Object(kind)
				old.Run(testkit.Step{Arguments: sale("", mistake)})
				if how == "imported" {
					p.MustNotFail(kept.Import("serviceInvoice/" + fmt.Sprint(onlyInvoice(t, s)["id"])))
				} else {
					kept.Run(testkit.Step{Arguments: sale("", mistake)})
				}
				// Another run.
				p.Configure(map[string]any{"base_url": s.BaseURL(), "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0})
				var said []*tfprotov6.Diagnostic
				hear := func(_ *tfprotov6.PlanResourceChangeResponse, more []*tfprotov6.Diagnostic) {
					said = append(said, more...)
				}
				steps := []func(){
					func() { hear(kept.Plan(kept.Value(kept.Type, kept.Arguments(sale("", mistake))))) },
					func() { hear(old.PlanDestroy()) },
				}
				if oldFirst {
					slices.Reverse(steps)
				}
				for _, step := range steps {
					step()
				}
				if text := testkit.TextsOf(said); !strings.Contains(text, want) || (how == "imported") != (testkit.ErrorsIn(said) != "") {
					t.Errorf("the plans say\n%s\nwant %q", text, want)
				}
			})
		}
	}
}

// cancelable_until follows from the authorization. Another window changes it in
// place, and nothing is sent.
func TestCancelWindow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	until := func(window time.Duration) string {
		at, _ := time.Parse(time.RFC3339, fmt.Sprint(testkit.At(s.Invoices("")[0], "authorization.date")))
		return at.Add(window).Format(time.RFC3339)
	}
	o.Run(testkit.Step{Arguments: sale("", ""), State: map[string]any{"cancelable_until": nil}}) // An NFS-e: its city decides.
	sent := fixture.CountWrites(s)
	o.Run(
		testkit.Step{Arguments: sale("", `cancel_window = "48h"`), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": until(48 * time.Hour)}},
		testkit.Step{Arguments: sale("", `cancel_window = "168h"`), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": until(168 * time.Hour)}},
		testkit.Step{Arguments: sale("", `cancel_window = "a week"`), Fails: "duration"},
		testkit.Step{Arguments: sale("", ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": nil}},
	)
	fixture.WantWrites(t, s, sent)

	nfe := testkit.Serve(t, s, nil).Object(kind)
	id := s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "order-2", "status": "authorized", "authorization": map[string]any{"date": "2026-11-20T12:00:00-03:00", "protocol": "1"}})
	nfe.MustNotFail(nfe.Import("productInvoice/" + id))
	if got := nfe.State()["cancelable_until"]; got != "2026-11-21T12:00:00-03:00" {
		t.Errorf("an NF-e can be canceled until %v, want a day after its authorization", got)
	}
}

// A date in UTC without an offset is read as local time, which lies in the future of an invoice that was just authorized.
func TestCancelWindow_warnsOfDatesInUTC(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	for form, warns := range map[string]bool{"2006-01-02T15:04:05": true, time.RFC3339: false} {
		s := sandbox.Start(t, sandbox.Options{})
		s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 200, Method: "POST", Path: "/v1/product-invoices", Body: fmt.Sprintf(
			`{"id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "integrationId": "order-1", "status": "authorized", "number": 1, "authorization": {"date": %q}}`, now.Format(form))})
		o := testkit.Serve(t, s, nil).Object(kind)
		_, said := o.Create(o.Arguments(fmt.Sprintf("model = \"productInvoice\"\nintegration_id = \"order-1\"\npayload_json = %q", fixture.ProductPayload)))
		o.MustNotFail(said)
		right := "in UTC the period ends at " + now.Add(24*time.Hour).Format(time.RFC3339)
		if text := testkit.TextsOf(said); strings.Contains(text, "Dates seem to be in UTC: NF-e 1") != warns || strings.Contains(text, right) != warns {
			t.Errorf("%s: it says %q", form, text)
		}
	}
}
