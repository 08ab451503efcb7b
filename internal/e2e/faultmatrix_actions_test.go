package e2e_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// actionKinds are the requests that actions send to change something. Only a new
// Terraform has actions, so these cells speak the protocol instead of running a
// CLI, and have no column in the guide.
var actionKinds = []struct {
	name         string
	method, path string
	seed         func(s *sandbox.Server) map[string]any // the arguments
	// repeats tells that the service does the same when it is asked twice.
	repeats bool
	// person tells that after a lost answer the action refuses until a person has
	// looked.
	person bool
	done   func(s *sandbox.Server) int // how often the service has done it
}{
	{
		name: "einvoice_invoice_cancel", method: "DELETE", path: "/v1/product-invoices/{id}",
		seed: func(s *sandbox.Server) map[string]any {
			return map[string]any{"model": "productInvoice", "id": fixture.NFe(s, einvoice.StatusAuthorized), "reason": "Pedido cancelado pelo cliente."}
		},
		done: func(s *sandbox.Server) int {
			n := 0
			for _, v := range s.Invoices("productInvoice") {
				if v["status"] == einvoice.StatusCanceled {
					n++
				}
			}
			return n
		},
	},
	{
		name: "einvoice_invoice_check_status", method: "POST", path: "/v1/service-invoices/{id}/check-status", repeats: true,
		seed: func(s *sandbox.Server) map[string]any {
			return map[string]any{"model": "serviceInvoice", "id": s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": einvoice.StatusAuthorized, "integrationId": "a"})}
		},
		done: func(*sandbox.Server) int { return 1 },
	},
	{
		name: "einvoice_correction_letter", method: "POST", path: fixture.CorrectionsPath, person: true,
		seed: func(s *sandbox.Server) map[string]any {
			return map[string]any{"invoice_id": fixture.NFe(s, einvoice.StatusAuthorized), "letter": fixture.TestLetter}
		},
		done: func(s *sandbox.Server) int { return len(s.Corrections(s.Invoices("productInvoice")[0]["id"].(string))) },
	},
	{
		name: "einvoice_order_issue_invoices", method: "POST", path: "/v1/orders/{id}/invoices/issue",
		seed: func(s *sandbox.Server) map[string]any {
			return map[string]any{"order_id": fixture.ApprovedOrder(s, s.OwnerCompanyID())}
		},
		done: func(s *sandbox.Server) int { return len(s.Invoices("serviceInvoice")) },
	},
	{
		name: "einvoice_inbound_manifest", method: "POST", path: "/v1/inbound-product-invoices/{id}/manifest",
		seed: func(s *sandbox.Server) map[string]any {
			return map[string]any{"id": s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": "none"}}), "status": "confirmed"}
		},
		done: func(s *sandbox.Server) int {
			if s.Objects(sandbox.KindInbound)[0]["manifestation"].(map[string]any)["status"] == "confirmed" {
				return 1
			}
			return 0
		},
	},
	{
		name: "einvoice_webhook_secret_rotate", method: "POST", path: "/v1/webhooks/secret/rotate",
		seed: func(*sandbox.Server) map[string]any { return map[string]any{} },
	},
	{
		name: "einvoice_inbound_sync", method: "POST", path: "/v1/inbound-product-invoices/sync", repeats: true,
		seed: func(s *sandbox.Server) map[string]any {
			fixture.ReceiveInbound(s, s.OwnerCompanyID(), false)
			return map[string]any{}
		},
	},
}

// actionFaults is one fault of each nature and outcome: the texts and the
// repetitions of the others are those of the matrix.
var actionFaults = []string{
	"Connection dropped before the request is processed", "Connection dropped after the request is processed", "429 with `Retry-After`",
	"403", faultNotFound, "JSON cut in the middle", faultText, faultTooLarge, faultRedirect,
}

// TestActions_meetEachFault breaks the request of each action, and invokes it
// again: what the service did, it did once.
func TestActions_meetEachFault(t *testing.T) {
	t.Parallel()
	for _, kind := range actionKinds {
		for _, f := range faults {
			if !slices.Contains(actionFaults, f.name) {
				continue
			}
			t.Run(kind.name+": "+f.name, func(t *testing.T) {
				t.Parallel()
				testkit.OnClock(t, sandbox.Options{}, func(t *testing.T, s *testkit.Clocked) {
					arguments := kind.seed(s.Server)
					s.Inject(f.at(&cell{kind: &requestKind{method: kind.method, path: kind.path}}))
					p := s.Process(map[string]any{"max_retries": 1, "request_timeout": "9s"})

					first := p.Invoke(kind.name, arguments)
					sent := delivered(s.Server, kind.method, kind.path)
					if !kind.repeats && sent > 1 {
						t.Errorf("it was sent %d times in one run", sent)
					}
					if n := s.Network.Strays(); n > 0 {
						t.Errorf("another host was asked %d times", n)
					}
					if first.Errors == "" {
						checkDone(t, s.Server, kind.done)
						return
					}
					if !regexp.MustCompile(f.says).MatchString(strings.Join(strings.Fields(first.Errors), " ")) {
						t.Errorf("the error does not say %q:\n%s", f.says, first.Errors)
					}
					if strings.Contains(first.Errors, s.OwnerKey()) {
						t.Error("the error shows the key")
					}

					s.ResetRequests()
					second := p.Invoke(kind.name, arguments)
					sent = delivered(s.Server, kind.method, kind.path)
					lost := f.nature == natureLost || f.nature == natureUnreadable || f.nature == natureTooLarge
					switch {
					case kind.person && lost:
						if !strings.Contains(second.Errors, "may have been sent already") || sent != 0 {
							t.Errorf("the second run sent it %d times, and says %q", sent, second.Errors)
						}
						return
					case kind.name == "einvoice_inbound_sync" && strings.Contains(second.Errors, "not allowed yet"):
						// The service has had the first search, and wants an interval between two.
					case second.Errors != "":
						t.Errorf("the second run failed: %s", second.Errors)
					case f.processed && !kind.repeats && sent > 0:
						t.Errorf("what was done was sent again, %d times", sent)
					}
					checkDone(t, s.Server, kind.done)
				})
			})
		}
	}
}

// delivered counts the requests that the service looked at.
func delivered(s *sandbox.Server, method, path string) int {
	n := 0
	for _, r := range s.All(method, path) {
		if r.Status != http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

func checkDone(t *testing.T, s *sandbox.Server, done func(*sandbox.Server) int) {
	t.Helper()
	if done == nil {
		return
	}
	if n := done(s); n != 1 {
		t.Errorf("the service has done it %d times, want once", n)
	}
}
