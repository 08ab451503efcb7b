package issuing

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
)

func TestIssuing_endsWithATextThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	number := einvoice.Int(7)
	i := &Issuing{Model: einvoice.ModelService, Known: ByIntegrationID("order-1"), Issue: true, Patience: time.Minute}
	invoice := func(status, code, message string) *einvoice.Invoice {
		return &einvoice.Invoice{
			ID: "id-1", Number: &number, Status: einvoice.Enum(status),
			ProcessingDetail: &einvoice.ProcessingDetail{Status: "success", Code: einvoice.Text(code), Message: einvoice.Text(message)},
		}
	}
	kept, sent := *i, *i
	kept.inState, sent.posted = true, true
	lost := errors.New("connection reset")
	for name, test := range map[string]struct {
		diags diag.Diagnostics
		want  []string
	}{
		"an authority's rejection": {i.Dead(invoice("rejected", "539", "Duplicidade de NF-e")), []string{
			"NFS-e 7 (order-1) was rejected: 539", "Duplicidade de NF-e.", "Rejected by the tax authority, definitive.", "run apply again", "The next apply finds the rejected invoice (id id-1)",
		}},
		"a generic rejection":                 {i.Dead(invoice("rejected", "E9999", "Erro")), []string{"tax authority", "Erro."}},
		"the service's rejection":             {i.Dead(invoice("rejected", "SPD003", "campo fora de ordem")), []string{"Rejected by the service, definitive.", "campo fora de ordem."}},
		"a rejection without reason":          {i.Dead(&einvoice.Invoice{ID: "id-1", Status: "rejected"}), []string{"NFS-e (order-1) was rejected", "gives no reason"}},
		"a rejection of what is in state":     {kept.Dead(invoice("rejected", "539", "x")), []string{"State keeps what it had", "sent in place"}},
		"another invoice after a lost answer": {sent.refuseAdoption(invoice("authorized", "", ""), []string{"amount: 1"}), []string{"was not answered"}},
		"denied":                              {i.Dead(invoice("denied", "302", "Uso denegado")), []string{"is denied", "Code 302", "Uso denegado.", "new `integration_id`"}},
		"a timeout": {i.timedOut(invoice("enqueued", "SPD999", "sem resposta"), context.DeadlineExceeded, nil), []string{
			"Still in progress: NFS-e 7 (order-1)", `"enqueued"`, "id-1", "SPD999 · sem resposta", "Run apply again", "nothing is issued twice",
		}},
		"a timeout after failed reads": {i.timedOut(invoice("enqueued", "", ""), context.DeadlineExceeded, lost), []string{"The last look at it failed: connection reset."}},
		"an interrupt":                 {i.timedOut(invoice("enqueued", "", ""), context.Canceled, nil), []string{"Interrupted while issuing", "id-1", "Run apply again"}},
		"an answer that was lost":      {i.answerLost(nil, lost), []string{"Answer lost: NFS-e (order-1)", "connection reset", "does not list it", "not", "second time"}},
		"two invoices under one id":    {i.severalFound([]*einvoice.Invoice{{ID: "a", Status: "authorized"}, {ID: "b", Status: "enqueued"}}), []string{"a (authorized) and b (enqueued)", "Nothing was sent"}},
		"another invoice under the id": {i.refuseAdoption(invoice("authorized", "", ""), []string{"amount: 1 in `payload_json`, 2 at the service"}), []string{"amount: 1", "Nothing was sent", "another `integration_id`"}},
		"adoption":                     {diag.Diagnostics{i.adopted(invoice("authorized", "", ""))}, []string{"Adopted NFS-e 7 (order-1)", "nothing was issued"}},
		"contingency":                  {i.settledWith(invoice("inContingent", "", "")), []string{"in contingency", "definitive authorization"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(test.diags) != 1 {
				t.Fatalf("%d diagnostics, want 1", len(test.diags))
			}
			fixture.WantTexts(t, test.diags, test.want...)
		})
	}
}
