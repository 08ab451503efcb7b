package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

var creationPaths = []string{
	"/v1/customers", "/v1/products", "/v1/webhooks", fixture.OrdersPath,
	fixture.ServiceInvoices, "/v1/product-invoices", "/v1/consumer-invoices",
}

func TestCheck_removesWhatACreationWithoutAnAnswerMade(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{
		"lost":              {Kind: sandbox.FaultDropAfter},
		"not made":          {Kind: sandbox.FaultDropBefore},
		"500 although made": {Kind: sandbox.FaultStatusAfter, Status: http.StatusInternalServerError},
		"an empty answer":   {Kind: sandbox.FaultBody, Body: "{}"},
	} {
		paths := []string{"/v1/customers", fixture.OrdersPath, fixture.ServiceInvoices}
		if name == "lost" {
			paths = creationPaths
		}
		for _, path := range paths {
			t.Run(name+" "+strings.TrimPrefix(path, "/v1/"), func(t *testing.T) {
				t.Parallel()
				options := sandbox.Options{}
				if name == "lost" {
					options = sandbox.Options{QueueDrafts: true, CapitalIDsInLists: true, NoMergeByIntegrationID: true}
				}
				s, _, c := started(t, options)
				fault := fault
				fault.Method, fault.Path = "POST", path
				s.Inject(fault)
				o := finished(t.Context(), t, c)
				wantNothingLeft(t, s)
				if len(o.report.Left) > 0 || strings.Contains(o.out, "Not removed") {
					t.Errorf("%v are told to be left", o.report.Left)
				}
			})
		}
	}
}

func TestCheck_removesWhatAllCreationsWithoutAnAnswerMade(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	for _, path := range creationPaths {
		s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: path, Times: -1})
	}
	o := finished(t.Context(), t, c)
	wantNothingLeft(t, s)
	for _, entry := range []string{"create_customer", "create_order", "create_service_invoice"} {
		o.wants(t, entry, notTried, "no readable answer")
	}
}

func TestCheck_namesWhatMayBeLeftWhereNoListShowsIt(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/webhooks":          "webhook whose url is https://einvoice-check-",
		fixture.OrdersPath:      "order whose transactionId is einvoice-check-",
		"/v1/consumer-invoices": "consumer invoice whose integrationId is einvoice-check-",
	} {
		t.Run(strings.TrimPrefix(path, "/v1/"), func(t *testing.T) {
			t.Parallel()
			s, _, c := started(t, sandbox.Options{Without: []string{"GET " + path}})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: path})
			o := finished(t.Context(), t, c)
			if o.exit == exitFits || !strings.Contains(o.out, "Not removed, remove it by hand: "+want) {
				t.Errorf("it exits with %d:\n%s", o.exit, o.out)
			}
			if len(o.report.Left) != 1 || !strings.Contains(o.report.Left[0], "may exist") {
				t.Errorf("%q is left", o.report.Left)
			}
		})
	}
}

func TestCheck_cancelsNothingThatMayBeSomebodyElses(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{ListsWithoutIntegrationID: true, IgnoreFilters: true})
	s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized", "integrationId": "another"})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.ServiceInvoices})
	o := finished(t.Context(), t, c)
	for _, invoice := range s.Invoices("") {
		if invoice["integrationId"] == "another" && invoice["status"] != "authorized" {
			t.Errorf("another invoice is %v", invoice["status"])
		}
	}
	if len(o.report.Left) != 1 || !strings.HasPrefix(o.report.Left[0], "service invoice whose integrationId is") {
		t.Errorf("%q is left", o.report.Left)
	}
}

func TestCheck_writesNoSettingsThatMayHoldASecret(t *testing.T) {
	t.Parallel()
	secrets := map[string]map[string]any{
		"csc":      {"consumerInvoice": map[string]any{"tokenId": "000001", "csc": testCSC}},
		"password": {"serviceInvoice": map[string]any{"userName": "joao", "password": "REAL-PW"}},
		"csrts": {"general": map[string]any{"technicalResponsible": map[string]any{
			"contactName": "X", "csrts": []any{map[string]any{"id": 1, "csrt": "ABCDEFGHIJ"}},
		}}},
	}
	forms := map[string][]string{
		"csc": {
			sandbox.SecretsMasked, sandbox.SecretsHidden, sandbox.SecretsAbsent, sandbox.SecretsNull, sandbox.SecretsClear,
			sandbox.SecretsCut, "A1B2",
		},
		"password": {sandbox.SecretsMasked, sandbox.SecretsAbsent, sandbox.SecretsNull},
		"csrts":    {sandbox.SecretsMasked, sandbox.SecretsCut, sandbox.SecretsNull},
	}
	for secret, settings := range secrets {
		for _, form := range forms[secret] {
			t.Run(secret+" "+form, func(t *testing.T) {
				t.Parallel()
				options := sandbox.Options{SettingsReplaceAll: true, SecretReads: form}
				if form == "A1B2" {
					options.SecretReads, options.SecretMask = "", form
				}
				s, _, c := started(t, options)
				s.SetSettings(s.OwnerCompanyID(), settings)
				o := finished(t.Context(), t, c)
				if n := s.Count("PUT", settingsOf(s)); n > 0 {
					t.Errorf("the settings were written %d times", n)
				}
				o.wants(t, "settings_put_keeps_other_blocks", notSeen, "no block is written: "+secret+" may be set")
			})
		}
	}
}

func TestCheck_saysWhichSettingsToSetAgain(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{SettingsReplaceAll: true})
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Status: http.StatusForbidden, Method: "PUT", Path: "/v1/companies/{id}/settings", Skip: 1,
	})
	o := finished(t.Context(), t, c)
	if o.exit == exitFits || !strings.Contains(o.out, "Not as before, set it again by hand: settings serviceInvoice: ") {
		t.Errorf("it exits with %d:\n%s", o.exit, o.out)
	}
	if len(o.report.Left) > 0 || len(o.report.Changed) == 0 {
		t.Errorf("left %q, changed %q", o.report.Left, o.report.Changed)
	}
}

func TestCheck_namesAnOrderWhoseCancellationDoesNothing(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"confirmed": http.StatusOK, "refused": http.StatusBadRequest} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, c := started(t, sandbox.Options{})
			s.Inject(sandbox.Fault{
				Kind: sandbox.FaultStatus, Status: status, Body: `{"success": true}`,
				Method: "PUT", Path: "/v1/orders/{id}/status", Times: -1,
			})
			o := finished(t.Context(), t, c)
			if o.exit != exitUnusual || len(o.report.Left) != 1 || !strings.Contains(o.report.Left[0], "transactionId "+c.name) {
				t.Errorf("it exits with %d, and %q is left", o.exit, o.report.Left)
			}
		})
	}
}

func TestCheck_namesAnInvoiceThatStaysOpen(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{AuthorizeAfter: time.Hour})
	o := finished(t.Context(), t, c)
	if n := len(s.Invoices("")); o.exit != exitUnusual || n == 0 || len(o.report.Left) != n {
		t.Errorf("it exits with %d, and of %d invoices are left %q", o.exit, n, o.report.Left)
	}
}

func TestCheck_leavesNothingWhereADeletionHasNoAnswer(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/customers/{id}", "/v1/products/{id}", "/v1/webhooks/{id}"} {
		s, _, c := started(t, sandbox.Options{DeletionLag: 8 * time.Second})
		s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "DELETE", Path: path})
		o := finished(t.Context(), t, c)
		wantNothingLeft(t, s)
		if len(o.report.Left) > 0 || o.exit != exitFits {
			t.Errorf("%s: it exits with %d, and %q is left", path, o.exit, o.report.Left)
		}
	}
}

func TestCheck_saysWhichExitCodeWins(t *testing.T) {
	t.Parallel()
	leaves, differing := sandbox.Options{NoCustomerDelete: true}, []string{"PUT /v1/webhooks/{id}"}
	for name, tt := range map[string]struct {
		without    []string
		production bool
		want       int
	}{
		"left":                           {want: exitUnusual},
		"left and a difference":          {without: differing, want: exitDiffers},
		"left, a difference, production": {without: differing, production: true, want: exitUnusual},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := leaves
			options.Without = tt.without
			s, _, c := started(t, options)
			if tt.production {
				s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": "production"}})
			}
			if o := finished(t.Context(), t, c); o.exit != tt.want || len(o.report.Left) == 0 {
				t.Errorf("it exits with %d, want %d, and %q is left", o.exit, tt.want, o.report.Left)
			}
		})
	}
}

func TestCheck_seesThatASecondObjectOfAKeyIsRefused(t *testing.T) {
	t.Parallel()
	for path, noun := range map[string]string{"/v1/customers": "customer", "/v1/products": "product", "/v1/webhooks": "webhook"} {
		t.Run(noun, func(t *testing.T) {
			t.Parallel()
			s, _, c := started(t, sandbox.Options{})
			s.Inject(sandbox.Fault{
				Kind: sandbox.FaultStatus, Status: http.StatusConflict, Method: "POST", Path: path, Skip: 2,
			})
			o := finished(t.Context(), t, c)
			got := o.assumption("keys_may_repeat")
			if got.Verdict != differs || !got.Coped || got.Seen != "a second "+noun+" is refused (HTTP 409)" || o.exit != exitFits {
				t.Errorf("it exits with %d: %+v", o.exit, got)
			}
			wantNothingLeft(t, s)
		})
	}
}

// behind starts a proxy in front of a service, which answers itself where handle says so.
func behind(t *testing.T, s *sandbox.Server, c *check, handle func(w http.ResponseWriter, r *http.Request) (done bool)) *check {
	t.Helper()
	target, err := url.Parse(strings.TrimSuffix(s.BaseURL(), "/v1"))
	expect.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !handle(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	config := c.config
	config.BaseURL = proxy.URL + "/v1"
	moved, err := newCheck(config)
	expect.NoError(t, err)
	moved.now, moved.pause = c.now, c.pause
	return moved
}

func TestCheck_namesThePATCHThatWorksInPlaceOfPUT(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		s, _, c := started(t, sandbox.Options{})
		c = behind(t, s, c, func(w http.ResponseWriter, r *http.Request) bool {
			ours := strings.HasPrefix(r.URL.Path, "/v1/products/") || strings.HasPrefix(r.URL.Path, "/v1/webhooks/")
			if ours && r.Method == http.MethodPut && strings.Count(r.URL.Path, "/") == 3 {
				w.WriteHeader(status)
				return true
			}
			if r.Method == http.MethodPatch {
				r.Method = http.MethodPut
			}
			return false
		})
		o := finished(t.Context(), t, c)
		want := "    update_product = \"PATCH /v1/products/{id}\"\n    update_webhook = \"PATCH /v1/webhooks/{id}\"\n"
		if o.exit != exitDiffers || !strings.Contains(o.out, want) {
			t.Errorf("%d: it exits with %d:\n%s", status, o.exit, o.out)
		}
		o.wants(t, "update_product", missing, "PATCH /v1/products/{id} answers instead")
		wantNothingLeft(t, s)
	}
}

func TestCheck_namesTheFlagWhereTheCompanyIsUnknown(t *testing.T) {
	t.Parallel()
	_, _, c := started(t, sandbox.Options{Without: []string{"GET /v1/companies"}})
	o := finished(t.Context(), t, c)
	for _, id := range []string{"company_fields", "settings_put_keeps_other_blocks", "cancel_takes_reason", "order_fields"} {
		o.wants(t, id, notSeen, "-company")
	}
	for _, entry := range []string{"create_order", "create_service_invoice"} {
		o.wants(t, entry, notTried, "-company")
	}
	o.wants(t, "list_companies", missing, "by tax number and `environments`")
	if strings.Contains(o.out, "without -read-only") {
		t.Errorf("a full run names -read-only:\n%s", o.out)
	}
}

func TestSeeNumber_saysWhichFieldIsTextAndThatTheProviderReadsIt(t *testing.T) {
	t.Parallel()
	_, _, c := started(t, sandbox.Options{})
	c.seeNumber("the price of a product", "1.5")
	got := c.assumption("scalars_vary")
	if got.Verdict != holds || got.Seen != "the price of a product is a number in a string, which the provider reads" {
		t.Errorf("%+v", got)
	}
}
