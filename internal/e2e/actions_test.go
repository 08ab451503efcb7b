package e2e_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// validActions are arguments that each action accepts.
var validActions = map[string]map[string]any{
	"einvoice_correction_letter":     {"invoice_id": "1", "letter": "Onde se lê 1 volume, leia-se 2 volumes."},
	"einvoice_inbound_manifest":      {"id": "1", "status": "confirmed"},
	"einvoice_inbound_sync":          {},
	"einvoice_invoice_cancel":        {"model": "productInvoice", "id": "1", "reason": "Pedido cancelado pelo cliente."},
	"einvoice_invoice_check_status":  {"model": "productInvoice", "id": "1"},
	"einvoice_order_issue_invoices":  {"order_id": "1"},
	"einvoice_webhook_secret_rotate": {},
}

func TestActions_refuseAnUnusableKeyInPlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	empty, unknown := testkit.Serve(t, s, map[string]any{"api_key": ""}), testkit.Serve(t, s, map[string]any{"api_key": tftypes.UnknownValue})
	if got, want := len(empty.Schemas.ActionSchemas), len(validActions); got != want {
		t.Errorf("%d actions are served, and %d are tested", got, want)
	}
	for name, arguments := range validActions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := empty.Config(empty.Schemas.ActionSchemas[name].Schema, arguments)
			planned := testkit.Answered(t, empty.PlanAction, &tfprotov6.PlanActionRequest{
				ActionType: name, Config: config,
			})
			if text := testkit.ErrorsIn(planned.Diagnostics); !strings.Contains(text, "Empty API key") {
				t.Errorf("the plan with an empty key ends with %q", text)
			}
			unknown.Invoke(name, arguments).Expect(t, "", "Provider configuration not known yet", "")
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n > 0 {
			t.Errorf("%d requests without a key", n)
		}
	})
}

func TestActions_endWithAnInterrupt(t *testing.T) {
	t.Parallel()
	const status, invoice = "/v1/inbound-product-invoices/sync-status", "/v1/product-invoices/{id}"
	for name, tt := range map[string]struct {
		action    string
		arguments map[string]any
		prepare   func(s *sandbox.Server, interrupt func(), arguments map[string]any)
		want      string
	}{
		"while a search runs": {
			action: "einvoice_inbound_sync", arguments: map[string]any{"wait": true}, want: "It is safe to invoke the action again.",
			prepare: func(s *sandbox.Server, interrupt func(), _ map[string]any) {
				fixture.ReceiveInbound(s, s.OwnerCompanyID(), false)
				s.Before("GET", status, func() { s.Before("GET", status, interrupt) })
			},
		},
		"while a cancellation is sent": {
			action: "einvoice_invoice_cancel", want: "The run was interrupted.",
			arguments: map[string]any{"model": "productInvoice", "reason": "Pedido cancelado pelo cliente."},
			prepare: func(s *sandbox.Server, interrupt func(), arguments map[string]any) {
				arguments["id"] = fixture.NFe(s, "authorized")
				s.Before("GET", invoice, func() { s.Before("GET", invoice, func() { s.Before("GET", invoice, interrupt) }) })
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Hour})
			ctx, interrupt := context.WithCancel(t.Context())
			tt.prepare(s, interrupt, tt.arguments)
			testkit.Serve(t, s, nil).InvokeUntil(ctx, tt.action, tt.arguments).Expect(t, "", tt.want, "")
		})
	}
}

func TestActions_checkTheirArguments(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	short := "too short"
	for name, tt := range map[string]struct {
		action   string
		argument string
		value    any
		want     string
	}{
		"a model that is none":          {"einvoice_invoice_cancel", "model", "order", "productInvoice, consumerInvoice, serviceInvoice"},
		"a reason of 9 characters":      {"einvoice_invoice_cancel", "reason", short, "15 to 255 characters"},
		"an empty id":                   {"einvoice_invoice_check_status", "id", "", "empty"},
		"a letter of 9 characters":      {"einvoice_correction_letter", "letter", short, "15 to 1000 characters"},
		"a declaration that is none":    {"einvoice_inbound_manifest", "status", "rejected", "acknowledged, confirmed, unknown, notPerformed"},
		"a date that is none":           {"einvoice_order_issue_invoices", "effective_date", "tomorrow", "a date"},
		"a window of a week":            {"einvoice_webhook_secret_rotate", "window_hours", 168, "between 0 and 72"},
		"a timeout that is no duration": {"einvoice_inbound_sync", "timeout", "10", "a duration above zero"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arguments := map[string]any{tt.argument: tt.value}
			for other, value := range validActions[tt.action] {
				if other != tt.argument {
					arguments[other] = value
				}
			}
			config := p.Config(p.Schemas.ActionSchemas[tt.action].Schema, arguments)
			valid := testkit.Answered(t, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
				ActionType: tt.action, Config: config,
			})
			text := testkit.ErrorsIn(valid.Diagnostics)
			if !strings.Contains(text, tt.want) || !strings.Contains(text, tt.argument) {
				t.Errorf("the error is %q, want one with %q about %s", text, tt.want, tt.argument)
			}
		})
	}
}

func TestInvoiceActions_reportAnInvoiceThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for _, name := range []string{
		"einvoice_invoice_cancel", "einvoice_invoice_check_status", "einvoice_order_issue_invoices", "einvoice_inbound_manifest",
		"einvoice_correction_letter",
	} {
		result := p.Invoke(name, validActions[name])
		if !strings.Contains(result.Errors, "not found") && !strings.Contains(result.Errors, "Not an NF-e") {
			t.Errorf("%s ends with %q", name, result.Errors)
		}
	}
	for _, r := range s.Requests() {
		if r.Method != "GET" && !strings.HasSuffix(r.Path, "/check-status") {
			t.Errorf("%s %s was sent", r.Method, r.Path)
		}
	}
}

// companyActions are the actions about documents of a company: what they need there,
// and which request may only go out under that company's key.
var companyActions = map[string]struct {
	prepare func(s *sandbox.Server, company string) map[string]any
	sends   string // a suffix of the path
}{
	"einvoice_correction_letter": {sends: "/corrections", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"invoice_id": authorizedInvoice(s, company), "letter": fixture.TestLetter}
	}},
	"einvoice_inbound_manifest": {sends: "/manifest", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"id": s.SeedInbound(company, map[string]any{"manifestation": map[string]any{"status": "none"}}), "status": "confirmed"}
	}},
	"einvoice_inbound_sync": {sends: "/sync", prepare: func(s *sandbox.Server, company string) map[string]any {
		fixture.ReceiveInbound(s, company, true)
		return map[string]any{}
	}},
	"einvoice_invoice_cancel": {sends: "", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"model": "productInvoice", "id": authorizedInvoice(s, company), "reason": "Pedido cancelado pelo cliente."}
	}},
	"einvoice_invoice_check_status": {sends: "/check-status", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"model": "productInvoice", "id": authorizedInvoice(s, company)}
	}},
	"einvoice_order_issue_invoices": {sends: "/issue", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"order_id": fixture.ApprovedOrder(s, company)}
	}},
}

func authorizedInvoice(s *sandbox.Server, company string) string {
	return s.Seed(sandbox.KindProductInvoices, map[string]any{"_company": company, "status": "authorized", "integrationId": "sale-1"})
}

// Every action but that of the webhooks' secret, which the account has only one of.
func TestActions_actForTheCompanyTheyName(t *testing.T) {
	t.Parallel()
	if got, want := len(companyActions), len(validActions)-1; got != want {
		t.Errorf("%d actions are tested, want %d", got, want)
	}
	for name, tt := range companyActions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			company, key := fixture.Company(s, fixture.BranchNumber)
			fixture.Company(s, fixture.OtherNumber)
			arguments := tt.prepare(s, company)
			keys := map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: key} // The second one is wrong.
			argument := "issuer"
			if strings.HasPrefix(name, "einvoice_inbound_") { // Its issuer is the supplier.
				argument = "company"
			}
			by := func(issuer string) map[string]any {
				with := maps.Clone(arguments)
				with[argument] = issuer
				return with
			}
			sent := func() (n int) {
				for _, r := range s.Requests() {
					if r.Method != "GET" && strings.HasSuffix(r.Path, tt.sends) {
						n++
						if r.Key != company {
							t.Errorf("%s %s was sent under the key of company %q, want %q", r.Method, r.Path, r.Key, company)
						}
					}
				}
				return n
			}

			// A question asked for another company does no harm, and a search shows nobody's number.
			if name != "einvoice_invoice_check_status" && name != "einvoice_inbound_sync" {
				testkit.Serve(t, s, map[string]any{"company_keys": keys}).Invoke(name, by(fixture.OtherNumber)).
					Expect(t, "", "11.444.777/0001-61", "")
				if n := sent(); n != 0 {
					t.Errorf("%d requests under a key that is another company's", n)
				}
			}
			testkit.Serve(t, s, map[string]any{"company_keys": keys}).Invoke(name, by("11.222.333/0001-81")).Expect(t, "", "", "")
			if n := sent(); n != 1 {
				t.Errorf("%d requests under the company's key, want 1", n)
			}

			later := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: tftypes.UnknownValue}})
			later.Invoke(name, by(fixture.BranchNumber)).Expect(t, "", "Provider configuration not known yet", "")
		})
	}
}
