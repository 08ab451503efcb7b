package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func seededNFe(s *sandbox.Server, status string) string {
	return s.Seed(sandbox.KindProductInvoices, map[string]any{"status": status, "integrationId": "sale-1", "number": 7, "amount": 10})
}

// seededOrder makes an approved order of which nothing is issued.
func seededOrder(s *sandbox.Server, company string) string {
	product := map[string]any{"code": "P1", "name": "Pão", "price": 100, "invoiceModel": "serviceInvoice"}
	return s.Seed(sandbox.KindOrders, map[string]any{
		"_company": company, "transactionId": "t-1", "amount": 100, "autoIssueMode": "disabled", "status": "approved",
		"customer": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725"},
		"items":    []any{map[string]any{"quantity": 1, "price": 100, "amount": 100, "product": product}},
	})
}

// receiveInbound lets the company search for what was issued against it.
func receiveInbound(s *sandbox.Server, company string, certificate bool) {
	inbound := map[string]any{"enabled": true, "startDate": "2020-01-01T00:00:00-03:00"}
	s.SetSettings(company, map[string]any{"productInvoice": map[string]any{"inbound": inbound}})
	if certificate {
		s.Seed(sandbox.KindCertificates, map[string]any{
			"_companyId": company, "isActive": true, "expirationAt": "2090-01-01T00:00:00Z",
		})
	}
}

func TestInvoiceCancelAction(t *testing.T) {
	t.Parallel()
	const path = "/v1/product-invoices/{id}"
	for name, tt := range map[string]struct {
		options        sandbox.Options
		status         string
		prepare        func(s *sandbox.Server)
		last, want     string
		left           string
		deletes, again int // requests of the first and of a second invocation
	}{
		"an authorized one is canceled, and left alone the next time": {
			status: "authorized", last: "NF-e 7 (sale-1) is canceled.", left: "canceled", deletes: 1,
		},
		"a canceled one is left alone": {status: "canceled", last: "is canceled already; nothing was sent.", left: "canceled"},
		"a rejected one is refused":    {status: "rejected", want: "Nothing to cancel: NF-e 7 (sale-1) is rejected", left: "rejected"},
		"a denied one is refused":      {status: "denied", want: "Nothing to cancel", left: "denied"},
		"a queued one is refused":      {status: "enqueued", want: "only an authorized invoice can be canceled", left: "enqueued"},
		"one in contingency is refused": {
			status: "inContingent", want: "before its final authorization.\n\nInvoke the action again after it is authorized.", left: "inContingent",
		},
		"the authority's no is an error, and its next answer may be another": {
			status:  "authorized",
			prepare: func(s *sandbox.Server) { s.ScriptInvoice("sale-1", sandbox.CancelRefused("501", "Prazo superior")) },
			want:    "Prazo superior", left: "canceled", deletes: 1, again: 1,
		},
		"the service's no is an error": {
			status: "authorized",
			prepare: func(s *sandbox.Server) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Path: path, Status: 400, Message: "SPD005: not here.", Times: -1})
			},
			want: "SPD005: not here.", left: "authorized", deletes: 1, again: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, tt.options)
			id := seededNFe(s, tt.status)
			if tt.prepare != nil {
				tt.prepare(s)
			}
			p := testkit.Serve(t, s, nil)
			arguments := map[string]any{"model": "productInvoice", "id": id, "reason": "Pedido cancelado pelo cliente."}
			p.Invoke("einvoice_invoice_cancel", arguments).Expect(t, tt.last, tt.want, "")
			if n := s.Count("DELETE", path); n != tt.deletes {
				t.Errorf("%d cancellations were sent, want %d", n, tt.deletes)
			}
			p.Invoke("einvoice_invoice_cancel", arguments)
			if n := s.Count("DELETE", path) - tt.deletes; n != tt.again {
				t.Errorf("invoked again it sent %d cancellations, want %d", n, tt.again)
			}
			if held, _ := s.Object(sandbox.KindProductInvoices, id); held["status"] != tt.left {
				t.Errorf("the invoice is %v, want %s", held["status"], tt.left)
			}
		})
	}
}

func TestInvoiceActions_reportAnInvoiceThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for _, name := range []string{"einvoice_invoice_cancel", "einvoice_invoice_check_status", "einvoice_order_issue_invoices", "einvoice_inbound_manifest", "einvoice_correction_letter"} {
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

func TestInvoiceCheckStatusAction(t *testing.T) {
	t.Parallel()
	const check = "/v1/product-invoices/{id}/check-status"
	for name, tt := range map[string]struct {
		status               string
		prepare              func(s *sandbox.Server, id string)
		last, want, warnings string
		checks               int
	}{
		"an authorized one": {status: "authorized", last: "NF-e 7 (sale-1) is authorized.", checks: 1},
		"a rejected one that the authority holds otherwise": {
			status: "rejected", last: "is authorized.", checks: 1,
			prepare: func(s *sandbox.Server, id string) {
				s.Before("POST", check, func() { s.SetInvoiceStatus(id, "authorized") })
			},
		},
		"a rejected one is explained": {
			status: "rejected", warnings: "Rejected by the tax authority.", checks: 1,
			prepare: func(s *sandbox.Server, id string) {
				s.Patch(sandbox.KindProductInvoices, id, map[string]any{"processingDetail": map[string]any{"status": "success", "code": "539", "message": "Duplicidade"}})
			},
		},
		"a queued one is waited for": {
			status: "enqueued", last: "is authorized.", checks: 2,
			prepare: func(s *sandbox.Server, id string) {
				const read = "/v1/product-invoices/{id}"
				s.Before("GET", read, func() { s.Before("GET", read, func() { s.SetInvoiceStatus(id, "authorized") }) })
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 400, Message: "The invoice is queued."})
			},
		},
		"another refusal is an error": {
			status: "authorized", want: "Not today.", checks: 1,
			prepare: func(s *sandbox.Server, _ string) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 400, Message: "Not today."})
			},
		},
		"a model without the operation": {
			status: "authorized", want: "The service does not offer this for this model. Reading the invoice shows it as authorized.", checks: 1,
			prepare: func(s *sandbox.Server, _ string) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 405})
			},
		},
		"a model whose route is not found": {
			status: "authorized", want: "The service does not offer this for this model.", checks: 1,
			prepare: func(s *sandbox.Server, _ string) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 404})
			},
		},
		"a key that may not": {
			status: "authorized", want: "Cannot check the status of NF-e", checks: 1,
			prepare: func(s *sandbox.Server, _ string) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: check, Status: 403})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := seededNFe(s, tt.status)
			if tt.prepare != nil {
				tt.prepare(s, id)
			}
			testkit.Serve(t, s, nil).Invoke("einvoice_invoice_check_status", map[string]any{"model": "productInvoice", "id": id}).Expect(t, tt.last, tt.want, tt.warnings)
			if n := s.Count("POST", check); n != tt.checks {
				t.Errorf("the authority was asked %d times, want %d", n, tt.checks)
			}
		})
	}
}

func TestCorrectionLetterAction_sendsALetterOnce(t *testing.T) {
	t.Parallel()
	const corrections = "/v1/product-invoices/{id}/corrections"
	const name = "einvoice_correction_letter"
	arguments := func(id string) map[string]any {
		return map[string]any{"invoice_id": id, "letter": "Onde se lê 1 volume, leia-se 2 volumes."}
	}
	t.Run("and not again when it is invoked again", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{})
		id := fixture.AuthorizedNFe(s)
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "has the letter as event", "", "")
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "has the letter as event", "", "nothing was sent now. Change the text to send another one.")
		other := arguments(id)
		other["letter"] = "Onde se lê 2 volumes, leia-se 3 volumes."
		testkit.Serve(t, s, nil).Invoke(name, other).Expect(t, "has the letter as event", "", "")
		if n := s.Count("POST", corrections); n != 2 {
			t.Errorf("%d letters were sent, want 2", n)
		}
	})
	t.Run("and only for an authorized NF-e", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{})
		testkit.Serve(t, s, nil).Invoke(name, arguments(seededNFe(s, "enqueued"))).Expect(t, "", "Invoke the action after the authorization.", "")
		if n := s.Count("POST", corrections); n != 0 {
			t.Errorf("%d letters were sent, want none", n)
		}
	})
}

func TestOrderIssueAction(t *testing.T) {
	t.Parallel()
	const issue = "/v1/orders/{id}/invoices/issue"
	for name, tt := range map[string]struct {
		prepare       func(s *sandbox.Server)
		last, want    string
		issues, again int
		invoices      int
	}{
		"issues what is not issued, and nothing the next time": {last: "Order t-1 has these invoices: NFS-e 1 (authorized).", issues: 1, invoices: 1},
		"reports a rejection, and issues again when its cause is removed": {
			prepare: func(s *sandbox.Server) { s.ScriptInvoice("", sandbox.Reject("539", "Duplicidade")) },
			want:    "issues only what is not issued", issues: 1, again: 1, invoices: 1,
		},
		"reports a refusal": {
			prepare: func(s *sandbox.Server) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: issue, Status: 400, Message: "No certificate."})
			},
			want: "No certificate.", issues: 1, again: 1, invoices: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			id := seededOrder(s, s.OwnerCompanyID())
			if tt.prepare != nil {
				tt.prepare(s)
			}
			p.Invoke("einvoice_order_issue_invoices", map[string]any{"order_id": id, "effective_date": "2026-11-20T10:00:00-03:00"}).Expect(t, tt.last, tt.want, "")
			if n := s.Count("POST", issue); n != tt.issues {
				t.Errorf("%d requests to issue, want %d", n, tt.issues)
			}
			p.Invoke("einvoice_order_issue_invoices", map[string]any{"order_id": id}).Expect(t, "(authorized).", "", "")
			if n := s.Count("POST", issue) - tt.issues; n != tt.again {
				t.Errorf("invoked again it asked %d times to issue, want %d", n, tt.again)
			}
			if n := len(s.Objects(sandbox.KindServiceInvoices)); n != tt.invoices {
				t.Errorf("%d invoices, want %d", n, tt.invoices)
			}
		})
	}
}

// What an action makes of a lost answer is shown in package rotation.
func TestRotationAction_rotatesOnceEachTime(t *testing.T) {
	t.Parallel()
	const name = "einvoice_webhook_secret_rotate"
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	secrets := map[string]bool{s.WebhookSecret(): true}
	for range 2 {
		result := p.Invoke(name, map[string]any{"window_hours": 24})
		result.Expect(t, "Deliveries are signed with the one before as well until", "", "")
		secrets[s.WebhookSecret()] = true
		for secret := range secrets {
			if strings.Contains(strings.Join(result.Progress, "\n"), secret) {
				t.Error("the progress shows a secret")
			}
		}
	}
	p.Invoke(name, nil).Expect(t, "The webhook secret was rotated at", "", "")
	secrets[s.WebhookSecret()] = true
	if n := fixture.Rotations(s); n != 3 || len(secrets) != 4 {
		t.Errorf("%d rotations and %d secrets, want 3 and 4", n, len(secrets))
	}
}

func TestInboundManifestAction(t *testing.T) {
	t.Parallel()
	const manifest = "/v1/inbound-product-invoices/{id}/manifest"
	for name, tt := range map[string]struct {
		held, status     string
		justification    any
		prepare          func(s *sandbox.Server)
		last, want, left string
		posts            int
	}{
		"a declaration":            {held: "none", status: "confirmed", last: "is confirmed. Protocol ", left: "confirmed", posts: 1},
		"one with a justification": {held: "acknowledged", status: "notPerformed", justification: "A mercadoria foi recusada.", last: "is notPerformed.", left: "notPerformed", posts: 1},
		"one that is there":        {held: "confirmed", status: "confirmed", last: "is confirmed already; nothing was sent.", left: "confirmed"},
		"one without the justification that it needs": {
			held: "none", status: "unknown", want: "minimum length of 15", left: "none", posts: 1,
		},
		"one that the authority refuses": {
			held: "none", status: "confirmed", want: "refuses its manifestation", left: "none", posts: 1,
			prepare: func(s *sandbox.Server) {
				s.Patch(sandbox.KindInbound, s.Objects(sandbox.KindInbound)[0]["id"].(string), map[string]any{"status": "canceled"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": tt.held}})
			if tt.prepare != nil {
				tt.prepare(s)
			}
			arguments := map[string]any{"id": id, "status": tt.status, "justification": tt.justification}
			testkit.Serve(t, s, nil).Invoke("einvoice_inbound_manifest", arguments).Expect(t, tt.last, tt.want, "")
			if n := s.Count("POST", manifest); n != tt.posts {
				t.Errorf("%d declarations were sent, want %d", n, tt.posts)
			}
			held, _ := s.Object(sandbox.KindInbound, id)
			if got := held["manifestation"].(map[string]any)["status"]; got != tt.left {
				t.Errorf("the declaration is %v, want %s", got, tt.left)
			}
		})
	}
}

func TestInboundSyncAction(t *testing.T) {
	t.Parallel()
	const sync = "/v1/inbound-product-invoices/sync"
	enabled := func(s *sandbox.Server, certificate bool) { receiveInbound(s, s.OwnerCompanyID(), certificate) }
	for name, tt := range map[string]struct {
		options    sandbox.Options
		arguments  map[string]any
		prepare    func(s *sandbox.Server)
		times      int // invocations; the last one is looked at
		last, want string
		posts      int
	}{
		"accepted, without waiting": {prepare: func(s *sandbox.Server) { enabled(s, true) }, times: 1, last: "The service has accepted the search.", posts: 1},
		"waited for, with new documents": {
			arguments: map[string]any{"wait": true}, times: 1, last: "The search has run: synchronized at", posts: 1,
			prepare: func(s *sandbox.Server) {
				enabled(s, true)
				s.QueueInbound(s.OwnerCompanyID(), map[string]any{})
			},
		},
		"waited for, and it fails for want of a certificate": {
			arguments: map[string]any{"wait": true}, times: 1, want: "Upload a valid digital certificate", posts: 1,
			prepare: func(s *sandbox.Server) { enabled(s, false) },
		},
		"waited for, and the answer is lost": {
			arguments: map[string]any{"wait": true}, times: 1, last: "The search has run: upToDate at", posts: 1,
			prepare: func(s *sandbox.Server) {
				enabled(s, true)
				s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: sync})
			},
		},
		"an interval that fits into the time is waited out": {
			options: sandbox.Options{SyncInterval: time.Second}, times: 2, last: "The service has accepted the search.", posts: 3,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
		"an interval beyond the timeout fails at once, with the time": {
			arguments: map[string]any{"timeout": "30s"}, times: 2, want: "which is beyond `timeout` (30s). Nothing was started.", posts: 2,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
		"a company without the feature is refused": {times: 1, want: "not enabled", posts: 1},
		"a search that does not show in time": {
			options: sandbox.Options{AuthorizeAfter: time.Hour}, arguments: map[string]any{"wait": true, "timeout": "2s"}, times: 1, want: "`timeout` (2s) is over", posts: 1,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onClock(t, tt.options, func(t *testing.T, s *clocked) {
				if tt.prepare != nil {
					tt.prepare(s.Server)
				}
				p := s.process(nil)
				var result testkit.Invoked
				began := time.Now()
				for range tt.times {
					result = p.Invoke("einvoice_inbound_sync", tt.arguments)
				}
				result.Expect(t, tt.last, tt.want, "")
				if n := s.Count("POST", sync); n != tt.posts {
					t.Errorf("%d requests for a search, want %d", n, tt.posts)
				}
				if took := time.Since(began); took > 25*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}
