package issuance_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccIssuance_returnsAreCheckedInPlanAndByTheService(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	issue := func(payload string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "later" {
  input = %q
}
resource "einvoice_invoice_issuance" "test" {
  model          = "productInvoice"
  integration_id = "order-1"
  payload_json   = %s
}`, payload, "%s"))
	}
	now := func(payload string) string { return fmt.Sprintf(issue(payload), fmt.Sprintf("%q", payload)) }
	later := func(payload string) string { return fmt.Sprintf(issue(payload), "terraform_data.later.output") }
	const dated = `,"issuedOn":"2026-11-01T10:00:00-03:00"`
	bare := fixture.ReturnOf(`{"cfop":1202,"totalAmount":10}`, dated)
	noted := fixture.ReturnOf(`{"totalAmount":10,"origin":{"accessKey":"`+fixture.OriginKey+`","itemNumber":1}}`, dated+`,"referencedDocuments":[{"accessKey":"`+fixture.OriginKey+`"}]`)
	good := fixture.ReturnOf(`{"totalAmount":10,"origin":{"accessKey":"`+fixture.OriginKey+`","itemNumber":1}}`, dated)
	issuanceTest(t,
		resource.TestStep{Config: now(bare), PlanOnly: true, ExpectError: regexp.MustCompile(`Return without origin documents(.|\n)*items\[0\]`)},
		resource.TestStep{Config: now(noted), PlanOnly: true, ExpectError: regexp.MustCompile(`References of a return in the wrong place`)},
		// What is unknown while planning is judged before anything is sent.
		resource.TestStep{Config: later(bare), ExpectError: regexp.MustCompile(`Return without origin documents`)},
		resource.TestStep{
			PreConfig: func() {
				if n := s.Count("POST", "/v1/product-invoices"); n != 0 {
					t.Errorf("%d invoices were sent, want none", n)
				}
			},
			Config: now(good), ConfigStateChecks: []statecheck.StateCheck{expectIssuance("status", knownvalue.StringExact("authorized"))},
		},
		resource.TestStep{Config: now(good), ConfigPlanChecks: plansIssuance(plancheck.ExpectEmptyPlan())},
	)
}
