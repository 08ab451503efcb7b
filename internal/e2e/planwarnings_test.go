package e2e_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const reviewed = `
resource "terraform_data" "t" {
  input            = "x"
  triggers_replace = "a"
}
resource "einvoice_company" "acme" {
  name                = "Acme Training"
  legal_name          = "Acme Training Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address             = { city = { code = "3550308" } }
}
resource "einvoice_company_settings" "acme" {
  company_id      = einvoice_company.acme.id
  product_invoice = { series = "1", next_number = 3, environment_type = "development" }
}
resource "einvoice_webhook_secret_rotation" "all" {
  triggers     = { quarter = "Q3" }
  window_hours = 24
}
resource "einvoice_invoice_issuance" "sale" {
  model               = "serviceInvoice"
  integration_id      = "sale-1"
  cancellation_reason = "Ordered twice by mistake"
  payload_json = jsonencode({
    description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 320.5 }
    receiver    = { name = "Padaria Central", federalTaxNumber = "45.997.418/0001-53" }
  })
}
resource "einvoice_correction_letter" "fix" {
  invoice_id = "NFE"
  letter     = "Onde se le 1 volume, leia-se 2 volumes."
}
`

// A reviewer sees the plan only: whatever is dangerous or frightening in it has a sentence, and none sends a request
// that changes anything. Some of them a CLI would drop, so that a CLI is asked.
func TestAccPlans_sayWhatAReviewerMustKnow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	nfe := fixture.AuthorizedNFe(s)
	config := func(replace ...string) string {
		return testkit.Config(s, strings.NewReplacer(append(replace, "NFE", nfe)...).Replace(reviewed))
	}
	w := testkit.NewAttached(t, config())
	w.MustApply()
	s.ResetRequests()
	for name, test := range map[string]struct {
		replace []string
		args    []string
		fails   bool
		want    []string
		never   string
	}{
		"another tax number": {replace: []string{"0001-81", "0002-62"}, want: []string{`Another tax number for company "Acme Training": 11.222.333/0002-62`, "11.222.333/0001-81"}},
		"numbers skipped":    {replace: []string{"next_number = 3", "next_number = 500"}, want: []string{`497 numbers skipped: product_invoice of company "Acme Training" (11.222.333/0001-81)`, "the numbers 3 to 499", "inutilização"}},
		"another series":     {replace: []string{`series = "1", next_number = 3`, `series = "2", next_number = 500`}, never: "numbers skipped"},
		"a series of no city": {
			replace: []string{`"development" }`, "\"development\" }\n  service_invoice = { issue_type = \"annfs\", series = \"1\" }"},
			want:    []string{"The national environment does not take this series", "10001 to 49999"},
		},
		"production": {replace: []string{"development", "production"}, want: []string{`Invoices become legally valid: product_invoice of company "Acme Training"`}},
		"a rotation": {replace: []string{`"Q3"`, `"Q4"`}, want: []string{"The secret of all webhooks will be rotated", "for 24 h", "with this rotation it ends at once"}},
		"a rotation without a window": {
			replace: []string{"window_hours = 24", "window_hours = 0"}, want: []string{"ends at once"},
		},
		"a letter to an invoice that is not known": {
			replace: []string{`"NFE"`, `terraform_data.t.id == "" ? "" : "NFE"`, `"a"`, `"b"`},
			want:    []string{"Another correction letter may be sent"}, never: "will be sent",
		},
		"a payload that is not known": {
			replace: []string{`"Consulting"`, `"Consulting${substr(terraform_data.t.id, 0, 0)}"`, `"a"`, `"b"`},
			want:    []string{"Payload not known yet: NFS-e 1 (sale-1) is issued", "If it differs, apply fails"}, never: "number = 1 ->",
		},
		"a payload that changes": {
			replace: []string{"320.5", "420.5"}, fails: true,
			want: []string{"Cannot change NFS-e 1 (sale-1)", "`total.invoiceAmount` from 320.5 to 420.5"},
		},
		"an invoice that is canceled": {
			args: []string{"-destroy", "-target=einvoice_invoice_issuance.sale"},
			want: []string{"Destroying cancels NFS-e 1 (sale-1)", "Amount: R$ 320.50. Receiver: Padaria Central. Issuer: 98.765.432/0001-98."},
		},
		"a replacement that cancels": {
			args: []string{"-replace=einvoice_invoice_issuance.sale"}, fails: true, want: []string{"Replacing NFS-e (sale-1) would cancel it"},
		},
		"a replacement that is triggered": {
			replace: []string{`"sale-1"`, "\"sale-1\"\n  lifecycle { replace_triggered_by = [terraform_data.t] }", `"a"`, `"b"`},
			fails:   true, want: []string{"Replacing NFS-e (sale-1) would cancel it"},
		},
		"a replacement under another name": {
			replace: []string{`"sale-1"`, `"sale-2"`}, want: []string{"Destroying cancels NFS-e 1 (sale-1)"}, never: "would cancel it",
		},
		"nothing": {want: []string{"No changes"}, never: "Warning"},
	} {
		w.Write(config(test.replace...))
		text, ok := w.Run(append([]string{"plan", "-input=false"}, test.args...)...)
		text = strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
		if ok == test.fails {
			t.Errorf("%s: it succeeds %t: %s", name, ok, text)
		}
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: it lacks %q: %s", name, want, text)
			}
		}
		if test.never != "" && strings.Contains(text, test.never) {
			t.Errorf("%s: it has %q: %s", name, test.never, text)
		}
	}
	w.Write(testkit.Config(s, `
import {
  to = einvoice_invoice_issuance.there
  id = "serviceInvoice/integration_id=sale-1"
}
resource "einvoice_invoice_issuance" "there" {
  model          = "serviceInvoice"
  integration_id = "sale-1"
  payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 320.5 } })
}`))
	w.MustRun("state", "rm", "einvoice_invoice_issuance.sale")
	if text := w.MustRun("plan", "-input=false", "-target=einvoice_invoice_issuance.there"); !strings.Contains(text, "Importing NFS-e 1 (sale-1) sends nothing") {
		t.Errorf("the import says %s", text)
	}
	fixture.WantWrites(t, s, 0)
}
