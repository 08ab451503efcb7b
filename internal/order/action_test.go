package order_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestOrderIssueAction(t *testing.T) {
	t.Parallel()
	const issue = "/v1/orders/{id}/invoices/issue"
	for name, tt := range map[string]struct {
		prepare       func(s *sandbox.Server)
		last, want    string
		issues, again int
		invoices      int
	}{
		"issues what is not issued, and nothing the next time": {last: "Order t-1 has these invoices: NFS-e 1 (authorized).", issues: 1, invoices: 1},
		"reports a rejection, and issues again when its cause is removed": {
			prepare: func(s *sandbox.Server) { s.ScriptInvoice("", sandbox.Reject("539", "Duplicidade")) },
			want:    "issues only what is not issued", issues: 1, again: 1, invoices: 1,
		},
		"reports a refusal": {
			prepare: func(s *sandbox.Server) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: issue, Status: 400, Message: "No certificate."})
			},
			want: "No certificate.", issues: 1, again: 1, invoices: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			id := fixture.ApprovedOrder(s, s.OwnerCompanyID())
			if tt.prepare != nil {
				tt.prepare(s)
			}
			p.Invoke("einvoice_order_issue_invoices", map[string]any{"order_id": id, "effective_date": "2026-11-20T10:00:00-03:00"}).Expect(t, tt.last, tt.want, "")
			fixture.WantRequests(t, s, "POST", issue, tt.issues)
			p.Invoke("einvoice_order_issue_invoices", map[string]any{"order_id": id}).Expect(t, "(authorized).", "", "")
			if n := s.Count("POST", issue) - tt.issues; n != tt.again {
				t.Errorf("invoked again it asked %d times to issue, want %d", n, tt.again)
			}
			if n := len(s.Objects(sandbox.KindServiceInvoices)); n != tt.invoices {
				t.Errorf("%d invoices, want %d", n, tt.invoices)
			}
		})
	}
}
