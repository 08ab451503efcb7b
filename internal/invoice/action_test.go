package invoice_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestInvoiceCancelAction(t *testing.T) {
	t.Parallel()
	const path = "/v1/product-invoices/{id}"
	for name, tt := range map[string]struct {
		options        sandbox.Options
		status         string
		prepare        func(s *sandbox.Server)
		last, want     string
		left           string
		deletes, again int // requests of the first and of a second invocation
	}{
		"an authorized one is canceled, and left alone the next time": {
			status: "authorized", last: "NF-e 7 (sale-1) is canceled.", left: "canceled", deletes: 1,
		},
		"a canceled one is left alone": {status: "canceled", last: "is canceled already; nothing was sent.", left: "canceled"},
		"a rejected one is refused":    {status: "rejected", want: "Nothing to cancel: NF-e 7 (sale-1) is rejected", left: "rejected"},
		"a queued one is refused":      {status: "enqueued", want: "only an authorized invoice can be canceled", left: "enqueued"},
		"one in contingency is refused": {
			status: "inContingent", want: "before its final authorization.\n\nInvoke the action again after it is authorized.", left: "inContingent",
		},
		"the authority's no is an error, and its next answer may be another": {
			status:  "authorized",
			prepare: func(s *sandbox.Server) { s.ScriptInvoice("sale-1", sandbox.CancelRefused("501", "Prazo superior")) },
			want:    "Prazo superior", left: "canceled", deletes: 1, again: 1,
		},
		"the service's no is an error": {
			status: "authorized",
			prepare: func(s *sandbox.Server) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Path: path, Status: 400, Message: "SPD005: not here.", Times: -1})
			},
			want: "SPD005: not here.", left: "authorized", deletes: 1, again: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, tt.options)
			id := fixture.NFe(s, tt.status)
			if tt.prepare != nil {
				tt.prepare(s)
			}
			p := testkit.Serve(t, s, nil)
			arguments := map[string]any{"model": "productInvoice", "id": id, "reason": "Pedido cancelado pelo cliente."}
			p.Invoke("einvoice_invoice_cancel", arguments).Expect(t, tt.last, tt.want, "")
			fixture.WantRequests(t, s, "DELETE", path, tt.deletes)
			p.Invoke("einvoice_invoice_cancel", arguments)
			expect.Is(t, s.Count("DELETE", path)-tt.deletes, tt.again, "invoked again it sent cancellations")
			if held, _ := s.Object(sandbox.KindProductInvoices, id); held["status"] != tt.left {
				t.Errorf("the invoice is %v, want %s", held["status"], tt.left)
			}
		})
	}
}

func TestInvoiceCheckStatusAction(t *testing.T) {
	t.Parallel()
	const check = "/v1/product-invoices/{id}/check-status"
	for name, tt := range map[string]struct {
		status               string
		prepare              func(s *sandbox.Server, id string)
		last, want, warnings string
		checks               int
	}{
		"an authorized one": {status: "authorized", last: "NF-e 7 (sale-1) is authorized.", checks: 1},
		"a rejected one that the authority holds otherwise": {
			status: "rejected", last: "is authorized.", checks: 1,
			prepare: func(s *sandbox.Server, id string) {
				s.Before("POST", check, func() { s.SetInvoiceStatus(id, "authorized") })
			},
		},
		"a rejected one is explained": {
			status: "rejected", warnings: "Rejected by the tax authority.", checks: 1,
			prepare: func(s *sandbox.Server, id string) {
				s.Patch(sandbox.KindProductInvoices, id, map[string]any{"processingDetail": map[string]any{"status": "success", "code": "539", "message": "Duplicidade"}})
			},
		},
		"a queued one is waited for": {
			status: "enqueued", last: "is authorized.", checks: 2,
			prepare: func(s *sandbox.Server, id string) {
				const read = "/v1/product-invoices/{id}"
				s.Before("GET", read, func() { s.Before("GET", read, func() { s.SetInvoiceStatus(id, "authorized") }) })
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 400, Message: "The invoice is queued."})
			},
		},
		"another refusal is an error": {
			status: "authorized", want: "Not today.", checks: 1,
			prepare: func(s *sandbox.Server, _ string) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 400, Message: "Not today."})
			},
		},
		"a model without the operation": {
			status: "authorized", want: "The service does not offer this for this model. Reading the invoice shows it as authorized.", checks: 1,
			prepare: func(s *sandbox.Server, _ string) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 405})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := fixture.NFe(s, tt.status)
			if tt.prepare != nil {
				tt.prepare(s, id)
			}
			testkit.Serve(t, s, nil).Invoke("einvoice_invoice_check_status", map[string]any{"model": "productInvoice", "id": id}).Expect(t, tt.last, tt.want, tt.warnings)
			fixture.WantRequests(t, s, "POST", check, tt.checks)
		})
	}
}
