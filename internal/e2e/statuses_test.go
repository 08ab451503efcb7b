package e2e_test

import (
	"fmt"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// Of a request that the service has processed and answered with a status that reads like a refusal, no second one is
// sent by the next apply.
func TestStatuses_proveNothingOfWhatMustHappenOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 404, 405, 409, 422, 500, 501, 503} {
		for kind, path := range map[string]string{
			"einvoice_invoice_issuance":        fixture.ServiceInvoices,
			"einvoice_order":                   fixture.OrdersPath,
			"einvoice_correction_letter":       fixture.CorrectionsPath,
			"einvoice_webhook_secret_rotation": fixture.RotatePath,
		} {
			t.Run(fmt.Sprint(status, " ", kind), func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, sandbox.Options{})
				arguments := map[string]object{
					"einvoice_invoice_issuance":  serviceInvoice("order-1"),
					"einvoice_order":             nested(unknownValues["einvoice_order"].arguments),
					"einvoice_correction_letter": {"invoice_id": fixture.AuthorizedNFe(s), "letter": fixture.TestLetter},
				}[kind]
				p := testkit.Serve(t, s, nil)
				s.ResetRequests()
				s.Inject(sandbox.Fault{Method: "POST", Path: path, Kind: sandbox.FaultStatusAfter, Status: status, Form: sandbox.FormEmpty})
				if _, said := p.Object(kind).Create(arguments); testkit.ErrorsIn(said) != "" {
					_, _ = p.Object(kind).Create(arguments)
				}
				fixture.WantRequests(t, s, "POST", path, 1)
			})
		}
	}
}
