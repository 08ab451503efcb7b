package order_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// Orders need a way to be found: without one, nothing is sent. The read by id is one where `operations` names it.
func TestOrder_isSentOnlyWhereItCanBeFound(t *testing.T) {
	t.Parallel()
	options := sandbox.Options{Without: []string{"GET /v1/orders", "GET /v1/orders/{id}"}}
	s := sandbox.Start(t, options)
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	_, said := o.Create(o.Arguments(saleBy("", "")))
	failed := testkit.ErrorsIn(said)
	if !strings.Contains(failed, "operations = { list_orders =") || !strings.Contains(failed, `operations = { get_order = "GET /v1/orders/{id}" }`) {
		t.Errorf("it says %q", failed)
	}
	wantOrders(t, s, 0)

	options.Without = options.Without[:1]
	s = sandbox.Start(t, options)
	o = testkit.Serve(t, s, map[string]any{"operations": map[string]tftypes.Value{
		"get_order": tftypes.NewValue(tftypes.String, "GET /v1/orders/{id}"),
	}}).Object("einvoice_order")
	_, said = o.Create(o.Arguments(saleBy("", "")))
	o.MustNotFail(said)
	if text := testkit.TextsOf(said); !strings.Contains(text, "The service does not list orders") {
		t.Errorf("it says %s", text)
	}
	o.Run(testkit.Step{Arguments: saleBy("", ""), Plans: plancheck.ResourceActionNoop})
	o.Forget()
	o.Run(testkit.Step{Arguments: saleBy("", "")}) // The journal knows it by its id.
	if got := statuses(o); got != "authorized" {
		t.Errorf("the invoices are %q", got)
	}
	wantOrders(t, s, 1)
}

// The answer to a creation may be the invoice, which has an id of its own.
func TestOrder_answeredWithItsInvoiceHasItsOwnID(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "wait_for_invoices = false"} {
		t.Run(more, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{OrdersAnswerInvoice: true})
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			o.Run(testkit.Step{Arguments: saleBy("", more)}, testkit.Step{Arguments: saleBy("", more), Plans: plancheck.ResourceActionNoop})
			if got, want := o.State()["id"], orderAtService(s); got != want {
				t.Errorf("the id in state is %v, want %s", got, want)
			}
			wantOrders(t, s, 1)
		})
	}
}
