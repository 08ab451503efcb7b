package order_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// An order in state beside an error is tainted: the next apply would record a second one, and issue its invoices.
func TestOrder_whoseInvoiceIsIssuedInAnotherEnvironmentIsInState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	inEnvironment := func(environment string) {
		model := map[string]any{"environmentType": environment}
		s.SetSettings(s.OwnerCompanyID(), map[string]any{
			"serviceInvoice": model, "productInvoice": model, "consumerInvoice": model,
		})
	}
	inEnvironment("development")
	allowed := []tftypes.Value{tftypes.NewValue(tftypes.String, "development")}
	o := testkit.Serve(t, s, map[string]any{"environments": allowed}).Object("einvoice_order")
	s.Before("POST", fixture.OrdersPath, func() { inEnvironment("production") })
	arguments := o.Arguments(saleBy("", ""))
	state, said := o.Create(arguments)
	o.MustNotFail(said)
	if state == nil || statuses(o) != "authorized" {
		t.Errorf("the state has %v", state)
	}
	if text := testkit.TextsOf(said); !strings.Contains(text, "Issued in production: NFS-e") {
		t.Errorf("it says %s", text)
	}
	if action := o.Action(o.MustPlan(o.Value(o.Type, arguments))); action != plancheck.ResourceActionNoop {
		t.Errorf("the next plan is %s", action)
	}
	wantOrders(t, s, 1)
}
