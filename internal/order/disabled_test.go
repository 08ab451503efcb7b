package order_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// An invoice of an order that asks for none is named by the run that sees it first.
func TestOrder_warnsOfAnInvoiceThatIsIssuedUnasked(t *testing.T) {
	t.Parallel()
	const disabled, asked = `auto_issue_mode = "disabled"`, "auto_issue_mode = \"disabled\"\n issue_invoices = true"
	for name, test := range rows.Read[map[string]struct {
		Options sandbox.Options
		More    string
		Later   bool // the invoice is issued after the creation
		Warns   string
	}](t, "order_warns_of_an_invoice_that_is_issued_unasked.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, test.Options)
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			warned := func(when, text string) {
				t.Helper()
				named := strings.Contains(text, "(sale-1) was issued, although issuing is disabled")
				if named != (test.Warns == when) {
					t.Errorf("the %s says %q", when, text)
				}
				for _, v := range s.Invoices(einvoice.ModelService) {
					if id := fmt.Sprint(v["id"]); named && !strings.Contains(text, id) {
						t.Errorf("the %s does not name %s: %s", when, id, text)
					}
				}
			}
			_, said := o.Create(o.Arguments(saleBy("", test.More)))
			o.MustNotFail(said)
			warned("creation", testkit.TextsOf(said))
			if test.Later {
				expect.NoError(t, fixture.OwnerClient(t, s).IssueOrderInvoices(t.Context(), orderAtService(s), "", nil))
			}
			warned("refresh", testkit.TextsOf(o.Refresh()))
			if text := testkit.TextsOf(o.Refresh()); strings.Contains(text, "although issuing is disabled") {
				t.Errorf("the next refresh repeats it: %s", text)
			}
			wantOrders(t, s, 1)
		})
	}
}
