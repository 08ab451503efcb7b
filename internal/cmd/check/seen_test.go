package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
