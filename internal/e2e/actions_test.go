package e2e_test

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// actions are all that are served. Only a new Terraform has them, so what is tested here
// speaks the protocol instead of running a CLI.
var actions = map[string]struct {
	method, path string                                         // of the request that changes something
	prepare      func(s *sandbox.Server, company string) object // returns the arguments
	// repeats tells that the service does the same when it is asked twice.
	repeats bool
	// person tells that after a lost answer the action refuses until a person has
	// looked.
	person bool
	done   func(s *sandbox.Server) int // how often the service has done it
}{
	"einvoice_invoice_cancel": {
		method: "DELETE", path: "/v1/product-invoices/{id}",
		prepare: func(s *sandbox.Server, company string) object {
			return object{"model": "productInvoice", "id": authorizedNFe(s, company), "reason": "Pedido cancelado pelo cliente."}
		},
		done: func(s *sandbox.Server) int {
			canceled := 0
			for _, v := range s.Invoices("productInvoice") {
				if v["status"] == einvoice.StatusCanceled {
					canceled++
				}
			}
			return canceled
		},
	},
	"einvoice_invoice_check_status": {
		method: "POST", path: "/v1/product-invoices/{id}/check-status", repeats: true,
		prepare: func(s *sandbox.Server, company string) object {
			return object{"model": "productInvoice", "id": authorizedNFe(s, company)}
		},
	},
	"einvoice_correction_letter": {
		method: "POST", path: fixture.CorrectionsPath, person: true,
		prepare: func(s *sandbox.Server, company string) object {
			return object{"invoice_id": authorizedNFe(s, company), "letter": fixture.TestLetter}
		},
		done: func(s *sandbox.Server) int { return len(s.Corrections(s.Invoices("productInvoice")[0]["id"].(string))) },
	},
	"einvoice_order_issue_invoices": {
		method: "POST", path: fixture.OrderIssuePath,
		prepare: func(s *sandbox.Server, company string) object {
			return object{"order_id": fixture.ApprovedOrder(s, company)}
		},
		done: func(s *sandbox.Server) int { return len(s.Invoices("serviceInvoice")) },
	},
	"einvoice_inbound_manifest": {
		method: "POST", path: "/v1/inbound-product-invoices/{id}/manifest",
		prepare: func(s *sandbox.Server, company string) object {
			held := object{"manifestation": object{"status": "none"}}
			return object{"id": s.SeedInbound(company, held), "status": "confirmed"}
		},
		done: func(s *sandbox.Server) int {
			events, _ := s.Objects(sandbox.KindInbound)[0]["events"].([]any)
			return len(events)
		},
	},
	"einvoice_webhook_secret_rotate": {
		method: "POST", path: fixture.RotatePath,
		prepare: func(*sandbox.Server, string) object { return object{} },
	},
	"einvoice_inbound_sync": {
		method: "POST", path: "/v1/inbound-product-invoices/sync", repeats: true,
		prepare: func(s *sandbox.Server, company string) object {
			fixture.ReceiveInbound(s, company, true)
			return object{}
		},
	},
}

func authorizedNFe(s *sandbox.Server, company string) string {
	held := object{"_company": company, "status": "authorized", "integrationId": "sale-1", "number": 7, "amount": 10}
	return s.Seed(sandbox.KindProductInvoices, held)
}

func TestActions_areAllTested(t *testing.T) {
	t.Parallel()
	if served := slices.Sorted(maps.Keys(actions)); !slices.Equal(registered(t)["actions"], served) {
		t.Errorf("%v are tested, and others are served", served)
	}
}

func TestActions_endWithAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Action, Read string
		Reads        int // the last of them is interrupted
		More         object
		Want         string
	}](t, "actions_end_with_an_interrupt.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Hour})
			ctx, interrupt := context.WithCancel(t.Context())
			arguments := actions[tt.Action].prepare(s, s.OwnerCompanyID())
			maps.Copy(arguments, tt.More)
			next := interrupt
			for range tt.Reads - 1 {
				after := next
				next = func() { s.Before("GET", tt.Read, after) }
			}
			s.Before("GET", tt.Read, next)
			testkit.Serve(t, s, nil).InvokeUntil(ctx, tt.Action, arguments).Expect(t, "", tt.Want, "")
		})
	}
}

func TestActions_checkTheirArguments(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
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
		arguments := actions[tt.action].prepare(s, s.OwnerCompanyID())
		arguments[tt.argument] = tt.value
		valid := testkit.Answered(t, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
			ActionType: tt.action, Config: p.Config(p.Schemas.ActionSchemas[tt.action].Schema, arguments),
		})
		text := testkit.ErrorsIn(valid.Diagnostics)
		if !strings.Contains(text, tt.want) || !strings.Contains(text, tt.argument) {
			t.Errorf("%s: the error is %q, want one with %q about %s", name, text, tt.want, tt.argument)
		}
	}
}

func TestActions_reportWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for name, action := range actions {
		arguments := action.prepare(s, s.OwnerCompanyID())
		for _, argument := range []string{"id", "invoice_id", "order_id"} {
			if arguments[argument] == nil {
				continue
			}
			arguments[argument] = "1"
			errors := p.Invoke(name, arguments).Errors
			if !strings.Contains(errors, "not found") && !strings.Contains(errors, "Not an NF-e") {
				t.Errorf("%s ends with %q", name, errors)
			}
		}
	}
	for _, r := range s.Requests() {
		if r.Method != "GET" && !strings.HasSuffix(r.Path, "/check-status") {
			t.Errorf("%s %s was sent", r.Method, r.Path)
		}
	}
}

// Every action but that of the webhooks' secret, which the account has only one of.
func TestActions_actForTheCompanyTheyName(t *testing.T) {
	t.Parallel()
	for name, action := range actions {
		if name == "einvoice_webhook_secret_rotate" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			company, key := fixture.Company(s, fixture.BranchNumber)
			fixture.Company(s, fixture.OtherNumber)
			arguments := action.prepare(s, company)
			argument := "issuer"
			if strings.HasPrefix(name, "einvoice_inbound_") { // Its issuer is the supplier.
				argument = "company"
			}
			invoke := func(keys object, by string) testkit.Invoked {
				arguments[argument] = by
				return testkit.Serve(t, s, object{"company_keys": keys}).Invoke(name, arguments)
			}
			keys := object{fixture.BranchNumber: key, fixture.OtherNumber: key} // The second one is wrong.

			// A question asked for another company does no harm, and a search shows nobody's number.
			if !action.repeats {
				invoke(keys, fixture.OtherNumber).Expect(t, "", "11.444.777/0001-61", "")
				fixture.WantWrites(t, s, 0)
			}
			invoke(keys, "11.222.333/0001-81").Expect(t, "", "", "")
			sent := s.All(action.method, action.path)
			if len(sent) != 1 || sent[0].Key != company || fixture.CountWrites(s) != 1 {
				t.Errorf("sent %v, want one request under the key of company %s", sent, company)
			}
			invoke(object{fixture.BranchNumber: tftypes.UnknownValue}, fixture.BranchNumber).
				Expect(t, "", "Provider configuration not known yet", "")
		})
	}
}

// actionFaults is one fault of each nature and outcome: the texts and the
// repetitions of the others are those of the matrix.
var actionFaults = []string{
	"Connection dropped before the request is processed", "Connection dropped after the request is processed",
	"429 with `Retry-After`",
	"403", faultNotFound, "JSON cut in the middle", faultText, faultTooLarge, faultRedirect,
}

// TestActions_meetEachFault breaks the request of each action, and invokes it
// again: what the service did, it did once.
func TestActions_meetEachFault(t *testing.T) {
	t.Parallel()
	for name, action := range actions {
		for _, f := range faults {
			if !slices.Contains(actionFaults, f.name) {
				continue
			}
			t.Run(name+": "+f.name, func(t *testing.T) {
				t.Parallel()
				testkit.OnClock(t, sandbox.Options{}, func(t *testing.T, s *testkit.Clocked) {
					arguments := action.prepare(s.Server, s.OwnerCompanyID())
					s.Inject(f.at(&cell{kind: &requestKind{method: action.method, path: action.path}}))
					p := s.Process(map[string]any{"max_retries": 1, "request_timeout": "9s"})

					first := p.Invoke(name, arguments)
					sent := delivered(s.Server, action.method, action.path)
					if !action.repeats && sent > 1 {
						t.Errorf("it was sent %d times in one run", sent)
					}
					if n := s.Network.Strays(); n > 0 {
						t.Errorf("another host was asked %d times", n)
					}
					if first.Errors == "" {
						checkDone(t, s.Server, action.done)
						return
					}
					if !regexp.MustCompile(f.says).MatchString(strings.Join(strings.Fields(first.Errors), " ")) {
						t.Errorf("the error does not say %q:\n%s", f.says, first.Errors)
					}
					if strings.Contains(first.Errors, s.OwnerKey()) {
						t.Error("the error shows the key")
					}

					s.ResetRequests()
					second := p.Invoke(name, arguments)
					sent = delivered(s.Server, action.method, action.path)
					lost := f.nature == natureLost || f.nature == natureUnreadable || f.nature == natureTooLarge || f.name == faultNotFound
					switch {
					case action.person && lost:
						if !strings.Contains(second.Errors, "may have been sent already") || sent != 0 {
							t.Errorf("the second run sent it %d times, and says %q", sent, second.Errors)
						}
						return
					case name == "einvoice_inbound_sync" && strings.Contains(second.Errors, "not allowed yet"):
						// The service has had the first search, and wants an interval between two.
					case second.Errors != "":
						t.Errorf("the second run failed: %s", second.Errors)
					case f.processed && !action.repeats && sent > 0:
						t.Errorf("what was done was sent again, %d times", sent)
					}
					checkDone(t, s.Server, action.done)
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
	expect.Is(t, done(s), 1, "the service has done it times")
}
