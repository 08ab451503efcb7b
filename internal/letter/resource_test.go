package letter_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// A correction letter has no case for an update in place, for import, for
// vanishing and for drift: the service shows no list of them.

const address = acctest.Address("einvoice_correction_letter.test")

func correctionConfig(s *sandbox.Server, invoiceID, letter string) string {
	return acctest.Config(s, fmt.Sprintf("resource \"einvoice_correction_letter\" \"test\" {\n  invoice_id = %q\n  letter     = %q\n}", invoiceID, letter))
}

func TestAccCorrectionLetter_sendsOnce(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := fixture.AuthorizedNFe(s)
	letter := strings.Repeat("ç", 15)
	same := statecheck.CompareValue(compare.ValuesSame())
	acctest.Run(t, []resource.TestStep{
		{
			Config: correctionConfig(s, id, letter),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("event_id", knownvalue.StringFunc(func(got string) error {
					if want := s.Corrections(id)[0]["eventId"]; got != want {
						return fmt.Errorf("event_id is %s, the event is %s", got, want)
					}
					return nil
				})),
				address.Has("sent_at", knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`))),
				same.AddStateValue(string(address), tfjsonpath.New("id")),
				same.AddStateValue(string(address), tfjsonpath.New("event_id")),
			},
		},
		{Config: correctionConfig(s, id, letter), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
		{
			ResourceName: string(address), ImportState: true, ImportStateId: "1", ExpectError: regexp.MustCompile(`cannot be imported(.|\n)*lists\s+no`),
		},
	})
	sent, _ := s.Last("POST", fixture.CorrectionsPath)
	if got, want := string(sent.Body), `{"letter":"`+letter+`"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if n := fixture.CountWrites(s); n != 1 {
		t.Errorf("%d writes, want the letter alone: destroying sends nothing", n)
	}
}

func TestAccCorrectionLetter_anotherLetterOrInvoiceReplaces(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	first, second, longest := fixture.AuthorizedNFe(s), fixture.AuthorizedNFe(s), strings.Repeat("ç", 1000)
	acctest.Run(t, []resource.TestStep{
		{Config: correctionConfig(s, first, fixture.TestLetter)},
		{Config: correctionConfig(s, first, longest), ConfigPlanChecks: address.Plans(plancheck.ResourceActionReplace)},
		{Config: correctionConfig(s, second, longest), ConfigPlanChecks: address.Plans(plancheck.ResourceActionReplace)},
		{Config: acctest.Config(s, "")},
		{Config: correctionConfig(s, second, longest), ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate)},
	})
	fixture.WantLetters(t, s, first, 2, 4)
	fixture.WantLetters(t, s, second, 2, 4)
}

func TestAccCorrectionLetter_aLostAnswerIsNeverSentAgain(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := fixture.AuthorizedNFe(s)
	w := acctest.NewAttached(t, correctionConfig(s, id, fixture.TestLetter))
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.CorrectionsPath})
	output, ok := w.Run("apply", "-auto-approve", "-input=false")
	if ok || !strings.Contains(output, "Answer to a correction letter lost: invoice "+id) {
		t.Errorf("the apply with the lost answer ends with:\n%s", output)
	}
	for range 2 {
		output, ok = w.Run("apply", "-auto-approve", "-input=false")
		if ok || !strings.Contains(output, "may have been sent already") || !strings.Contains(output, "1 to add, 0 to change, 0 to destroy") {
			t.Errorf("the next apply ends with:\n%s", output)
		}
	}
	fixture.WantLetters(t, s, id, 1, 1)
	file := regexp.MustCompile(`/\S*/journal/correction-[0-9a-f]{64}`).FindString(strings.ReplaceAll(output, "\n", " "))
	if file == "" {
		t.Fatalf("the error names no file:\n%s", output)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w.MustApply()
	fixture.WantLetters(t, s, id, 2, 2)
	output = w.MustRun("plan", "-destroy")
	if n := strings.Count(output, "Warning: Correction letter stays: invoice "+id); n != 1 {
		t.Errorf("the plan to destroy says %d times that the letter stays:\n%s", n, output)
	}
	w.MustRun("destroy", "-auto-approve", "-input=false")
	fixture.WantLetters(t, s, id, 2, 2)
}

func TestAccCorrectionLetter_wrongValues(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id, rejected := fixture.AuthorizedNFe(s), s.Seed(sandbox.KindProductInvoices, map[string]any{"status": "rejected", "integrationId": "sale-9"})
	nfse := s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized"})
	var steps []resource.TestStep
	for _, test := range []struct{ config, want string }{
		{correctionConfig(s, id, strings.Repeat("ç", 14)), `Invalid letter(.|\n)*has 14\s+characters(.|\n)*15 to 1000`},
		{correctionConfig(s, id, strings.Repeat("a", 1001)), `Invalid letter(.|\n)*has 1001\s+characters`},
		{correctionConfig(s, "", fixture.TestLetter), `Empty invoice id`},
		{acctest.Config(s, "resource \"einvoice_correction_letter\" \"test\" {\n invoice_id = \"x\"\n}"), `argument "letter" is required`},
	} {
		steps = append(steps, resource.TestStep{Config: test.config, PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	for _, test := range []struct{ config, want string }{
		{correctionConfig(s, rejected, fixture.TestLetter), `Invoice is not authorized(.|\n)*"rejected"(.|\n)*Correct\s+the\s+payload`},
		{correctionConfig(s, nfse, fixture.TestLetter), `Not an NF-e(.|\n)*productInvoice`},
	} {
		steps = append(steps, resource.TestStep{Config: test.config, ExpectError: regexp.MustCompile(test.want)})
	}
	steps = append(steps, resource.TestStep{
		PreConfig: func() {
			s.Inject(sandbox.Fault{
				Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.CorrectionsPath, Status: 400,
				Body: `{"errors":[{"message":"The letter corrects a value","path":"Letter"}]}`,
			})
		},
		Config:      correctionConfig(s, id, fixture.TestLetter),
		ExpectError: regexp.MustCompile(`Cannot send correction letter(.|\n)*letter\s+=(.|\n)*API message: The letter corrects a value\.`),
	})
	acctest.Run(t, steps)
	fixture.WantLetters(t, s, id, 0, 1)
}

func TestAccCorrectionLetter_waitsForWhatIsNotKnownYet(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := fixture.AuthorizedNFe(s)
	body := func(letter string) string {
		return acctest.Config(s, fmt.Sprintf(`
variable "id" {}
resource "terraform_data" "later" {
  input = { id = var.id, letter = %q }
}
resource "einvoice_correction_letter" "test" {
  invoice_id = terraform_data.later.output.id
  letter     = terraform_data.later.output.letter
}`, letter))
	}
	variables := config.Variables{"id": config.StringVariable(id)}
	acctest.Run(t, []resource.TestStep{
		{Config: body("too short"), ConfigVariables: variables, ExpectError: regexp.MustCompile(`Invalid letter`)},
		{Config: body(fixture.TestLetter), ConfigVariables: variables, ConfigStateChecks: []statecheck.StateCheck{address.Has("id", knownvalue.NotNull())}},
	})
	fixture.WantLetters(t, s, id, 1, 1)
}
