package order_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A service that has only what the interface shows or names neither reads nor lists
// orders.
func TestOrder_thatTheServiceDoesNotShowIsIssuedOnceAndKept(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{OnlySpecified: true})
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	_, said := o.Create(o.Arguments(saleBy("", "")))
	o.MustNotFail(said)
	// A run that succeeds does not say that it did nothing.
	if text := testkit.TextsOf(said); !strings.Contains(text, "`get_order`") || strings.Contains(strings.ToLower(text), "nothing was changed") {
		t.Errorf("it says %s", text)
	}
	o.Run(testkit.Step{Arguments: saleBy("", ""), Plans: plancheck.ResourceActionNoop})
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

// No message promises a look that the service does not offer.
func TestOrder_thatTheServiceDoesNotShowIsNotPromisedALookUp(t *testing.T) {
	t.Parallel()
	for _, isShown := range []bool{true, false} {
		s := sandbox.Start(t, sandbox.Options{OnlySpecified: !isShown})
		s.Inject(sandbox.Fault{
			Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.OrdersPath, Status: http.StatusTooManyRequests,
			Header: http.Header{"Retry-After": {"600"}},
		})
		o := testkit.Serve(t, s, nil).Object("einvoice_order")
		_, said := o.Create(o.Arguments(saleBy("", "")))
		failed := testkit.ErrorsIn(said)
		if strings.Contains(failed, "looks up the order by") != isShown || strings.Contains(failed, "the journal knows") == isShown {
			t.Errorf("shown %t: it says %q", isShown, failed)
		}
	}
}

// The answer to a creation may be the invoice, which has an id of its own.
func TestOrder_answeredWithItsInvoiceHasItsOwnID(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"shown": {OrdersAnswerInvoice: true}, "not shown": {OrdersAnswerInvoice: true, OnlySpecified: true},
	} {
		for _, more := range []string{"", "wait_for_invoices = false"} {
			t.Run(name+" "+more, func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, options)
				o := testkit.Serve(t, s, nil).Object("einvoice_order")
				o.Run(testkit.Step{Arguments: saleBy("", more)}, testkit.Step{Arguments: saleBy("", more), Plans: plancheck.ResourceActionNoop})
				if got, want := o.State()["id"], orderAtService(s); got != want {
					t.Errorf("the id in state is %v, want %s", got, want)
				}
				wantOrders(t, s, 1)
			})
		}
	}
}

// Nothing shows the invoices of an order of NFC-e: nothing is waited for, now or later.
func TestOrder_whoseInvoicesCannotShowWarnsAndPlansNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{OnlySpecified: true, OrdersWithoutInvoices: true})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"}})
	p := testkit.Serve(t, s, nil)
	warnings := 0
	for _, name := range []string{"sale-1", "sale-2"} {
		o := p.Object("einvoice_order")
		arguments := p.Arguments(strings.NewReplacer("serviceInvoice", "consumerInvoice", "sale-1", name).Replace(saleBy("", "")))
		_, said := o.Create(arguments)
		o.MustNotFail(said)
		warnings += strings.Count(testkit.TextsOf(said), "Invoices of orders were not waited for: NFC-e")
		for range 2 {
			o.MustNotFail(o.Refresh())
			if planned := o.MustPlan(o.Value(o.Type, arguments)); o.Action(planned) != plancheck.ResourceActionNoop {
				t.Errorf("the plan of %s is %s", name, o.Action(planned))
			}
		}
	}
	if warnings != 1 {
		t.Errorf("%d warnings, want one a run", warnings)
	}
	wantOrders(t, s, 2)
}

// Of an order with NFS-e and NFC-e only the NFS-e shows.
func TestOrder_warnsOfTheInvoicesThatItDoesNotShow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{OnlySpecified: true, OrdersWithoutInvoices: true})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{
		"general":         map[string]any{"allowMultipleInvoiceModelsPerOrder": true},
		"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"},
	})
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	const second = `items = [{ quantity = 1, price = 5, amount = 5, product = { code = "P-2", name = "Pão", price = 5, invoice_model = "consumerInvoice" } }, {`
	arguments := strings.NewReplacer("items = [{", second, "quantity = 1, price = 10, amount = 10", "quantity = 1, price = 5, amount = 5").Replace(saleBy("", `cancellation_reason = "Venda desfeita pelo cliente"`))
	_, said := o.Create(o.Arguments(arguments))
	o.MustNotFail(said)
	if got, text := statuses(o), testkit.TextsOf(said); got != "authorized" || strings.Count(text, "were not waited for: NFC-e") != 1 {
		t.Errorf("the invoices are %q, and it says %s", got, text)
	}
	if got := testkit.ErrorsIn(o.Destroy(nil)); !strings.Contains(got, "Cannot cancel the invoices of order") || s.Count("DELETE", "") != 0 {
		t.Errorf("destroying says %q", got)
	}
}
