package letter_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
		testkit.Step{Arguments: letter(""), Fails: "Missing issuer.*company_keys.*`api_key` would act"},
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
