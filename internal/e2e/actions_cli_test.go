package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestAccActions_areInvokedByName(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		example, address string
		prepare          func(s *sandbox.Server) (arguments []string)
		want             string
		fails            bool
		path             string // of the one request that changes something
	}{
		"a rotation": {
			example: "einvoice_webhook_secret_rotate", address: "deploy", path: "/v1/webhooks/secret/rotate",
			want: "Deliveries are signed with the one before as well until",
		},
		"a cancellation": {
			example: "einvoice_invoice_cancel", address: "mistake", path: "/v1/product-invoices/{id}",
			prepare: func(s *sandbox.Server) []string {
				return []string{"-var", "canceled_invoice_id=" + seededNFe(s, "authorized")}
			},
			want: "Waiting for the authority to cancel NF-e 7 (sale-1).",
		},
		"a cancellation that is refused": {
			example: "einvoice_invoice_cancel", address: "mistake", fails: true,
			prepare: func(s *sandbox.Server) []string {
				return []string{"-var", "canceled_invoice_id=" + seededNFe(s, "rejected")}
			},
			want: "Nothing to cancel: NF-e 7 (sale-1) is rejected",
		},
		"a search": {
			example: "einvoice_inbound_sync", address: "now", path: "/v1/inbound-product-invoices/sync",
			prepare: func(s *sandbox.Server) []string {
				s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true, "startDate": "2020-01-01T00:00:00-03:00"}}})
				s.Seed(sandbox.KindCertificates, map[string]any{"_companyId": s.OwnerCompanyID(), "isActive": true, "expirationAt": "2090-01-01T00:00:00Z"})
				s.QueueInbound(s.OwnerCompanyID(), map[string]any{})
				return nil
			},
			want: "The search has run: synchronized at",
		},
		"a declaration": {
			example: "einvoice_inbound_manifest", address: "acknowledge", path: "/v1/inbound-product-invoices/{id}/manifest",
			prepare: func(s *sandbox.Server) []string {
				s.SeedInbound(s.OwnerCompanyID(), map[string]any{})
				return nil
			},
			want: "is acknowledged. Protocol",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := testkit.NewWorkspace(t, testkit.ExampleVersions, "")
			w.TakeExample(s, filepath.Join(testkit.ExamplesDir, "actions", tt.example))
			needsTerraform(t, w, 14, "actions")
			arguments := []string{"apply", "-auto-approve", "-input=false", "-invoke=action." + tt.example + "." + tt.address}
			if tt.prepare != nil {
				arguments = append(arguments, tt.prepare(s)...)
			}
			output, ok := w.Run(arguments...)
			t.Logf("%s:\n%s", strings.Join(arguments, " "), output)
			if ok == tt.fails || !strings.Contains(testkit.Unwrapped(output), tt.want) {
				t.Errorf("it succeeded: %t, want %q in:\n%s", ok, tt.want, output)
			}
			if n := fixture.CountWrites(s); tt.path != "" && (n != 1 || s.Count("", tt.path) == 0) || tt.path == "" && n != 0 {
				t.Errorf("%d requests changed something: %v", n, s.Requests())
			}
			if _, err := os.Stat(filepath.Join(w.Dir, "terraform.tfstate")); err == nil {
				if state, _ := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate")); strings.Contains(string(state), s.WebhookSecret()) {
					t.Error("the secret is in state")
				}
			}
		})
	}
}

func TestAccActions_areTriggeredByResources(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindOrders, map[string]any{
		"id": "0f0e0d0c-0000-4000-8000-000000000001", "transactionId": "t-1", "amount": 100, "autoIssueMode": "disabled", "status": "approved",
		"customer": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725"},
		"items":    []any{map[string]any{"quantity": 1, "price": 100, "amount": 100, "product": map[string]any{"code": "P1", "name": "Pão", "price": 100, "invoiceModel": "serviceInvoice"}}},
	})
	config := func(release int) string {
		return testkit.Config(s, fmt.Sprintf(`
action "einvoice_order_issue_invoices" "sale" {
  config {
    order_id = "0f0e0d0c-0000-4000-8000-000000000001"
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
}`, release))
	}
	w := testkit.NewWorkspace(t, config(1), "")
	needsTerraform(t, w, 14, "actions")
	output := w.MustApply()
	t.Logf("apply:\n%s", output)
	if !strings.Contains(testkit.Unwrapped(output), "Order t-1 has 1 invoice(s): NFS-e 1 (authorized).") {
		t.Errorf("the progress does not tell of the invoice:\n%s", output)
	}
	w.MustPlanNothing()
	w.Write(config(2))
	w.MustApply()
	if posts, invoices := s.Count("POST", "/v1/orders/{id}/invoices/issue"), len(s.Objects(sandbox.KindServiceInvoices)); posts != 1 || invoices != 1 {
		t.Errorf("triggered twice it asked %d times, and there are %d invoices, want one of each", posts, invoices)
	}
}
