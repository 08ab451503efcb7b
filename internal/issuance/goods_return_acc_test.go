package issuance_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccIssuance_returnsAreCheckedInPlanAndByTheService(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewAttached(t, "")
	issue := func(payload, value string) {
		w.Write(acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "later" {
  input = %q
}
resource "einvoice_invoice_issuance" "test" {
  model          = "productInvoice"
  integration_id = "order-1"
  payload_json   = %s
}`, payload, value)))
	}
	says := func(want, output string) {
		t.Helper()
		if !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("the output lacks %q:\n%s", want, output)
		}
	}
	const origin = `{"cfop":1202,` + fixture.SoldGoods + `,"origin":{"accessKey":"` + fixture.OriginKey + `","itemNumber":1}}`
	dated := fixture.IssuedOn(time.Now())
	bare, noted := fixture.ReturnOf(`{"cfop":1202,`+fixture.SoldGoods+`}`, dated), fixture.ReturnOf(origin, dated+`,"referencedDocuments":[{"accessKey":"`+fixture.OriginKey+`"}]`)
	for _, test := range []struct{ payload, warning, answer string }{
		{bare, `Return without origin documents(.|\n)*items\[0\]`, `requires\s+the\s+access\s+key`},
		{noted, `References of a return in the wrong place`, `not\s+accepted\s+for\s+returns`},
	} {
		issue(test.payload, fmt.Sprintf("%q", test.payload))
		says(test.warning, w.MustRun("plan"))
		// What is unknown while planning is judged before it is sent, and the service decides.
		issue(test.payload, "terraform_data.later.output")
		output, ok := w.Run("apply", "-auto-approve", "-input=false")
		says(test.warning, output)
		says(`Cannot issue invoice: NF-e \(order-1\)(.|\n)*`+test.answer, output)
		if ok {
			t.Error("the service took a return that it refuses")
		}
	}
	good := fixture.ReturnOf(origin, dated)
	issue(good, fmt.Sprintf("%q", good))
	w.MustApply()
	w.MustRun("plan", "-detailed-exitcode")
	if status := onlyInvoice(t, s)["status"]; status != "authorized" {
		t.Errorf("the return is %v, want authorized", status)
	}
}
