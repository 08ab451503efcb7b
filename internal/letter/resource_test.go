package letter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A correction letter has no case for an update in place, for import, for
// vanishing and for drift: the service shows no list of them.

const (
	kind = "einvoice_correction_letter"
)

func TestCorrectionLetter_anotherLetterOrInvoiceReplaces(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	first, second := fixture.AuthorizedNFe(s), fixture.AuthorizedNFe(s)
	letter := func(invoice, letter string) string {
		return fmt.Sprintf("invoice_id = %q\nletter = %q", invoice, letter)
	}
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: letter(first, fixture.TestLetter), Plans: plancheck.ResourceActionCreate},
		testkit.Step{Arguments: letter(first, fixture.TestLetter), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: letter(first, strings.Repeat("ç", 15)), Plans: plancheck.ResourceActionReplace},
		testkit.Step{Arguments: letter(second, strings.Repeat("ç", 15)), Plans: plancheck.ResourceActionReplace},
	)
	fixture.WantLetters(t, s, first, 2, 3)
	fixture.WantLetters(t, s, second, 1, 3)
	if got, want := o.State()["event_id"], s.Corrections(second)[0]["eventId"]; got != want {
		t.Errorf("event_id is %v, the event is %v", got, want)
	}
}

// A plan refuses a letter that the apply would refuse, because it may have been sent.
func TestCorrectionLetter_planRefusesALetterInDoubt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	config := o.Value(o.Type, map[string]any{"invoice_id": fixture.AuthorizedNFe(s), "letter": fixture.TestLetter})
	planned, said := o.Plan(config)
	o.MustNotFail(said)
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST"})
	if lost := testkit.ErrorsIn(o.Apply(config, planned)); !strings.Contains(lost, "Response to a correction letter lost") {
		t.Fatalf("the apply says %q", lost)
	}
	if _, said = o.Plan(config); !strings.Contains(testkit.ErrorsIn(said), "Correction letter may have been sent already") {
		t.Errorf("the next plan says %q", testkit.TextsOf(said))
	}
}

func TestCorrectionLetter_hasNoEventWhereTheServiceTellsNone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	invoice := fixture.AuthorizedNFe(s)
	s.Patch(sandbox.KindProductInvoices, invoice, map[string]any{"company": nil})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultBody, Method: "POST", Path: fixture.CorrectionsPath, Body: `{"letter":"x"}`})
	arguments := fmt.Sprintf("invoice_id = %q\nletter = %q\n", invoice, fixture.TestLetter)
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: arguments, Plans: plancheck.ResourceActionCreate, State: map[string]any{"event_id": nil}},
		testkit.Step{Arguments: arguments, Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: arguments + fmt.Sprintf("issuer = %q", fixture.BranchNumber), State: map[string]any{"event_id": nil}},
	)
	if id, _ := o.State()["id"].(string); len(id) != 36 {
		t.Errorf("its id is %q", id)
	}
}

// A run may have ended before any refresh.
func TestCorrectionLetter_aDestroyOnlyForgets(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := fixture.AuthorizedNFe(s)
	o := testkit.Serve(t, s, nil).Object(kind)
	arguments := map[string]any{"invoice_id": id, "letter": fixture.TestLetter}
	state, said := o.Create(arguments)
	o.MustNotFail(said)
	planned, warned := o.PlanDestroy()
	if len(warned) != 1 || warned[0].Summary != "Correction letter stays: invoice "+id {
		t.Errorf("the plan to destroy says %v", warned)
	}
	o.MustNotFail(o.Destroy(planned))
	fixture.WantLetters(t, s, id, 1, 1)
	created, said := o.Create(arguments) // As the other half of a replacement.
	o.MustNotFail(said)
	if created["id"] != state["id"] || created["issuer"] != state["issuer"] || !strings.Contains(testkit.TextsOf(said), "nothing was sent now") {
		t.Errorf("got %v and %v, want the letter %v and a warning", created, testkit.TextsOf(said), state)
	}
	fixture.WantLetters(t, s, id, 1, 1)
}

func TestCorrectionLetter_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, kind, map[string]any{"invoice_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "letter": fixture.TestLetter}, []testkit.Refusal{
		{Name: "14 characters", At: "letter", Value: strings.Repeat("ç", 14), Want: "Invalid letter.*has 14 characters.*15 to 1000"},
		{Name: "1001 characters", At: "letter", Value: strings.Repeat("a", 1001), Want: "Invalid letter.*has 1001 characters"},
		{Name: "no letter", At: "letter", Want: "Missing Configuration for Required Attribute"},
		{Name: "an empty invoice", At: "invoice_id", Value: "", Want: "Empty invoice id"},
	})
}

func TestCorrectionLetterAction_sendsALetterOnce(t *testing.T) {
	t.Parallel()
	const name = "einvoice_correction_letter"
	arguments := func(id string) map[string]any {
		return map[string]any{"invoice_id": id, "letter": fixture.TestLetter}
	}
	rows.Case(t, "and not again when it is invoked again", func(t *testing.T) {
		s := sandbox.Start(t, sandbox.Options{})
		id := fixture.AuthorizedNFe(s)
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "has the letter as event", "", "")
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "has the letter as event", "", "nothing was sent now. Change the text to send another one.")
		other := arguments(id)
		other["letter"] = "Onde se lê 2 volumes, leia-se 3 volumes."
		testkit.Serve(t, s, nil).Invoke(name, other).Expect(t, "has the letter as event", "", "")
		fixture.WantLetters(t, s, id, 2, 2)
	})
	rows.Case(t, "and only for an authorized NF-e", func(t *testing.T) {
		s := sandbox.Start(t, sandbox.Options{})
		id := fixture.NFe(s, "enqueued")
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "", "Invoke the action after the authorization.", "")
		fixture.WantLetters(t, s, id, 0, 0)
	})
}

func TestIssuer_ofALetter(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	company, key := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	invoice := s.Seed(sandbox.KindProductInvoices, map[string]any{"_company": company, "status": "authorized", "integrationId": "sale-1"})
	letter := func(issuer string) string {
		text := fmt.Sprintf("invoice_id = %q\nletter = %q", invoice, fixture.TestLetter)
		if issuer != "" {
			text += fmt.Sprintf("\nissuer = %q", issuer)
		}
		return text
	}
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: key, fixture.MainNumber: other}})
	o := p.Object("einvoice_correction_letter")
	o.Run(
		testkit.Step{Arguments: letter(fixture.OtherNumber), Fails: "Issued by another company: invoice .*11.444.777/0001-61.*11.222.333/0001-81.*Nothing was sent"},
		testkit.Step{Arguments: letter(""), Fails: "Missing issuer.*company_keys.*does not assume that it is the owner of `api_key`"},
	)
	fixture.WantLetters(t, s, invoice, 0, 0)
	o.Run(
		testkit.Step{Arguments: letter("11.222.333/0001-81"), Plans: plancheck.ResourceActionCreate, State: map[string]any{"issuer": "11.222.333/0001-81"}},
		testkit.Step{Arguments: letter(""), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: letter(fixture.OtherNumber), Fails: "Another company has issued the letter of invoice"},
	)
	fixture.WantLetters(t, s, invoice, 1, 1)

	// Not named: the company that the invoice shows.
	alone := testkit.Serve(t, s, map[string]any{"api_key": key}).Object("einvoice_correction_letter")
	alone.Run(testkit.Step{Arguments: fmt.Sprintf("invoice_id = %q\nletter = %q", invoice, "Onde se lê 3 volumes, leia-se 4."), State: map[string]any{"issuer": fixture.BranchNumber}})
	fixture.WantLetters(t, s, invoice, 2, 2)
}
