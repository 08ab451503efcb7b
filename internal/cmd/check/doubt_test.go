package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
			rows.Case(t, name+" "+strings.TrimPrefix(path, "/v1/"), func(t *testing.T) {
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
		rows.Case(t, strings.TrimPrefix(path, "/v1/"), func(t *testing.T) {
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
			rows.Case(t, secret+" "+form, func(t *testing.T) {
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
		rows.Case(t, name, func(t *testing.T) {
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
		rows.Case(t, name, func(t *testing.T) {
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
		rows.Case(t, noun, func(t *testing.T) {
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

func TestUnseen_saysWhatWasNotThere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		options  sandbox.Options
		readOnly bool
		settings map[string]any
		want     map[string]string // by assumption
	}{
		{
			name: "read-only", readOnly: true, want: map[string]string{
				"lists_lag_briefly": "-read-only sends only GET", "update_keeps_unknown_fields": "-read-only sends only GET",
				"settings_put_keeps_other_blocks": "-read-only sends only GET", "order_fields": "-read-only sends only GET",
			},
		},
		{
			name: "rejections", options: sandbox.Options{}, want: map[string]string{
				"letter_shows_an_event": "no authorized product invoice was seen", "inbound_filters": "the list is empty",
			},
		},
		{
			name: "nothing is merged", options: sandbox.Options{NoMergeByIntegrationID: true}, want: map[string]string{
				"authorized_is_issued_once": "a second POST of its draft made another one",
			},
		},
		{
			name: "operations that are missing",
			options: sandbox.Options{Without: []string{
				"GET /v1/orders", "GET /v1/inbound-product-invoices", "GET /v1/service-invoices/cities",
			}},
			want: map[string]string{
				"inbound_filters": "list_inbound_invoices: missing", "city_fields": "list_cities: missing",
				"order_filter": "list_orders: missing",
			},
		},
		{
			name:     "a model in production",
			settings: map[string]any{"serviceInvoice": map[string]any{"environmentType": "production"}},
			want: map[string]string{
				"settings_put_keeps_other_blocks": "no settings are written while a model is in production",
				"order_fields":                    "needs no model in production",
				"issue_false_makes_a_draft":       "its environment is production",
			},
		},
		{
			name: "an authority that decides nothing", options: sandbox.Options{AuthorizeAfter: time.Hour},
			want: map[string]string{
				"cancel_takes_reason":       "no authorized invoice was seen",
				"documents_in_any_encoding": "no authorized invoice was seen",
			},
		},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			s, _, c := started(t, tt.options)
			if tt.settings != nil {
				s.SetSettings(s.OwnerCompanyID(), tt.settings)
			}
			c.readOnly = tt.readOnly
			o := finished(t.Context(), t, c)
			for id, want := range tt.want {
				o.wants(t, id, notSeen, want)
			}
			if strings.Contains(o.out, "removing the objects") == tt.readOnly {
				t.Errorf("read-only: %t, and the progress is\n%s", tt.readOnly, o.out)
			}
		})
	}
}

// defaults are the blocks of settings after a reset.
var defaults = map[string]any{
	"productInvoice":  map[string]any{"series": nil, "nextNumber": nil, "environmentType": 0, "volumeMarking": nil},
	"consumerInvoice": map[string]any{"series": nil, "nextNumber": nil, "environmentType": 0, "receiptWidth": 0},
	"serviceInvoice": map[string]any{
		"series": nil, "nextNumber": nil, "nextBatchNumber": nil, "environmentType": 0, "issueType": 0,
		"providerOptions": nil,
	},
}

func TestSettings_thatAreDefaultsTellNoReset(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{SettingsReplaceAll: true})
	s.SetSettings(s.OwnerCompanyID(), defaults)
	o := finished(t.Context(), t, c)
	o.wants(t, "settings_put_keeps_other_blocks", notSeen, "nothing but defaults")
	fixture.WantRequests(t, s, "PUT", settingsOf(s), 1)
}

func TestSettings_namesTheBlocksThatWereKept(t *testing.T) {
	t.Parallel()
	_, _, c := started(t, sandbox.Options{})
	finished(t.Context(), t, c).wants(t, "settings_put_keeps_other_blocks", holds, "as before: consumerInvoice, productInvoice, serviceInvoice")
}

func TestOrders_onlyOneWithAnInvoiceTellsWhetherItShowsIt(t *testing.T) {
	t.Parallel()
	for without, want := range map[bool]string{true: differs, false: holds} {
		s, _, c := started(t, sandbox.Options{OrdersWithoutInvoices: without})
		c.readOnly = true
		s.Seed(sandbox.KindOrders, map[string]any{"transactionId": "another", "autoIssueMode": "disabled"})
		id := s.Seed(sandbox.KindOrders, map[string]any{"transactionId": "a"})
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized", "order": map[string]any{"id": id}})
		if got := finished(t.Context(), t, c).assumption("order_shows_invoices"); got.Verdict != want || !got.Coped {
			t.Errorf("without: %t: %+v", without, got)
		}
	}
}

func TestSeeFields_takesNullAndMissingForUnset(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"email": "a", "phone": "b"}`:   {holds, "a read shows all of them"},
		`{"email": "a", "phone": null}`:  {holds, "a read shows all but phone, which may be unset"},
		`{"email": "a"}`:                 {holds, "a read shows all but phone, which may be unset"},
		`{"email": null}`:                {differs, "a read lacks phone, and shows others as null"},
		`{"email": null, "phone": null}`: {notSeen, "a read shows none of them: they may be unset"},
		`{}`:                             {notSeen, "a read shows none of them: they may be unset"},
	} {
		_, _, c := started(t, sandbox.Options{})
		c.seeFields("company_fields", fieldsOf(json.RawMessage(body)), "email", "phone")
		if got := c.assumption("company_fields"); got.Verdict != want[0] || got.Seen != want[1] {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

func TestLookUp_tellsAFilterFromALag(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"a filter that finds nothing": {"integration_id_filter", "lists_lag_briefly"},
		"a list that lags":            {"lists_lag_briefly", "integration_id_filter"},
	} {
		rows.Case(t, name, func(t *testing.T) {
			isFilter, options := want[0] == "integration_id_filter", sandbox.Options{}
			if !isFilter {
				options.ListLag = 80 * time.Second
			}
			s, _, c := started(t, options)
			c = behind(t, s, c, func(w http.ResponseWriter, r *http.Request) bool {
				if isFilter && r.URL.Query().Get("integrationId") != "" {
					_, _ = w.Write([]byte(`{"items": [], "totalCount": 0, "hasNext": false}`))
					return true
				}
				return false
			})
			o := finished(t.Context(), t, c)
			o.wants(t, want[0], differs, "")
			if got := o.assumption(want[1]); got.Verdict == differs {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestUpdate_thatChangesNothingNeitherMergesNorReplaces(t *testing.T) {
	t.Parallel()
	s, _, c := started(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Status: 200, Body: `{"success": true}`,
		Method: "PUT", Path: "/v1/customers/{id}", Times: -1,
	})
	o := finished(t.Context(), t, c)
	got := o.assumption("update_merges_or_replaces")
	if got.Verdict != differs || got.Coped || !strings.HasPrefix(got.Seen, "an update of a customer changes nothing") {
		t.Errorf("%+v", got)
	}
}

func TestLists_whosePage1HidesTheItemsAreNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pages [2]string
		want  string
	}{
		"from 0":         {[2]string{`{"items": [{"id": "a"}], "hasNext": false}`, `{"items": [], "hasNext": false}`}, "its first page is page 0"},
		"an array":       {[2]string{`[{"id": "a"}]`, `[]`}, "its first page is page 0"},
		"a count":        {[2]string{`{"items": []}`, `{"items": [], "totalCount": 3}`}, "page 1 is empty, and totalCount is 3"},
		"an empty one":   {[2]string{`{"items": []}`, `{"items": []}`}, ""},
		"an empty count": {[2]string{`{"items": [{"id": "a"}]}`, `{"items": [], "totalCount": 0}`}, ""},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s, _, c := started(t, sandbox.Options{})
			c = behind(t, s, c, func(w http.ResponseWriter, r *http.Request) bool {
				page, err := strconv.Atoi(r.URL.Query().Get("page"))
				isCities := strings.HasSuffix(r.URL.Path, "/cities") && err == nil
				if isCities {
					_, _ = w.Write([]byte(tt.pages[page]))
				}
				return isCities
			})
			c.readOnly = true
			o := finished(t.Context(), t, c)
			lists, cities := o.assumption("lists_have_items"), o.assumption("city_fields")
			if tt.want == "" {
				if o.exit != exitFits || lists.Verdict != holds || cities.Seen != emptyList {
					t.Errorf("it exits with %d: %+v, %+v", o.exit, lists, cities)
				}
				return
			}
			if o.exit != exitDiffers || lists.Coped || !strings.Contains(lists.Seen, "list_cities cannot be read: ") ||
				!strings.Contains(lists.Seen, tt.want) || cities.Seen != "list_cities cannot be read" {
				t.Errorf("it exits with %d: %+v, %+v", o.exit, lists, cities)
			}
		})
	}
}
