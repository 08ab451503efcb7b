package order

import (
	"context"
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
)

// What orders have in common with invoices is worded in package invoice.
func TestOrder_problemsNameTheOrder(t *testing.T) {
	t.Parallel()
	held := &einvoice.Order{ID: "id-1", Status: "created"}
	for want, p := range map[string]*engine.Problem{
		"Interrupted while issuing order t-1": {Kind: engine.Interrupted, Order: held, Cause: context.Canceled},
		"Still in progress: NF-e (t-1)": {
			Kind: engine.TimedOut, Model: einvoice.ModelProduct, Queued: true, Cause: context.DeadlineExceeded,
			Invoice: &einvoice.Invoice{ID: "inv-1", Status: "rejected"},
		},
		"Response lost: order t-1":                           {Kind: engine.AnswerLost, Cause: errors.New("connection reset")},
		"It is not known whether this exists: order t-1":     {Kind: engine.Unlisted, Cause: errors.New("connection reset")},
		"Another order has this transaction_id: order t-1":   {Kind: engine.Another, Order: held},
		"Several orders have this transaction_id: order t-1": {Kind: engine.Several, Orders: []*einvoice.Order{held, held}},
	} {
		got := outcome(t.Context(), &engine.Ordering{Wanted: einvoice.Order{TransactionID: "t-1"}}, p, nil, false)
		if len(got) != 1 || got[0].Summary() != want || got[0].Severity() != diag.SeverityError {
			t.Errorf("%v, want %q", got, want)
		}
	}
}
