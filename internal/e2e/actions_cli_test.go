package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestAccActions_areTriggeredByResources(t *testing.T) {
	t.Parallel()
	needsTerraform(t, 14, "actions")
	s := sandbox.Start(t, sandbox.Options{})
	order := fixture.ApprovedOrder(s, s.OwnerCompanyID())
	config := func(release int) string {
		return testkit.Config(s, fmt.Sprintf(`
action "einvoice_order_issue_invoices" "sale" {
  config {
    order_id = %q
  }
}

resource "terraform_data" "paid" {
  input = %d
  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.einvoice_order_issue_invoices.sale]
    }
  }
}`, order, release))
	}
	w := testkit.NewWorkspace(t, config(1), "")
	output := w.MustApply()
	if !strings.Contains(testkit.Unwrapped(output), "Order t-1 has these invoices: NFS-e 1 (authorized).") {
		t.Errorf("the progress does not tell of the invoice:\n%s", output)
	}
	w.MustPlanNothing()
	w.Write(config(2))
	w.MustApply()
	if posts, invoices := s.Count("POST", "/v1/orders/{id}/invoices/issue"), len(s.Objects(sandbox.KindServiceInvoices)); posts != 1 || invoices != 1 {
		t.Errorf("triggered twice it asked %d times, and there are %d invoices, want one of each", posts, invoices)
	}
}
