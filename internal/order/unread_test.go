package order_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// A service that has only what the interface shows or names neither reads nor lists
// orders.
func TestOrder_thatTheServiceDoesNotShowIsIssuedOnceAndKept(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{OnlySpecified: true})
	o := acctest.Serve(t, s, nil).Object("einvoice_order")
	o.Run(
		acctest.Step{Arguments: saleBy("", ""), Plans: plancheck.ResourceActionCreate},
		acctest.Step{Arguments: saleBy("", ""), Plans: plancheck.ResourceActionNoop},
	)
	if got := statuses(o); got != "authorized" {
		t.Errorf("the invoices are %q", got)
	}
	s.SetInvoiceStatus(fmt.Sprint(s.Invoices("")[0]["id"]), "canceled")
	o.MustNotFail(o.Refresh())
	if got := statuses(o); got != "canceled" {
		t.Errorf("after a refresh the invoices are %q", got)
	}
	wantOrders(t, s, 1)
}

func TestOrder_thatTheServiceDoesNotShowIsNotSentAgainAfterALostAnswer(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{OnlySpecified: true})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrdersPath})
	o := acctest.Serve(t, s, nil).Object("einvoice_order")
	o.Run(acctest.Step{Arguments: saleBy("", ""), Fails: "(?s)It is not known whether this exists: order sale-1.*import it by its id"})
	wantOrders(t, s, 1)
}
