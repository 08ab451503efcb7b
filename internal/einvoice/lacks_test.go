package einvoice

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A list proves what it can, and no more: each row is a service whose list has 12 invoices, in pages of 5.
func TestLacks_provesWhatTheListCan(t *testing.T) {
	t.Parallel()
	list := sandbox.Fault{Method: "GET", Path: "/v1/service-invoices", Times: -1}
	fails := func(kind sandbox.FaultKind, status int) *sandbox.Fault {
		fault := list
		fault.Kind, fault.Status = kind, status
		return &fault
	}
	for name, tt := range map[string]struct {
		opts     sandbox.Options
		fault    *sandbox.Fault
		change   map[string]any // of one entry
		lacks    bool
		requests int
	}{
		"a complete list":                       {lacks: true, requests: 3},
		"a list that ignores filters":           {opts: sandbox.Options{IgnoreFilters: true}, lacks: true, requests: 3},
		"a list that lags":                      {opts: sandbox.Options{ListLag: time.Hour}, lacks: true, requests: 3},
		"an entry that was made elsewhere":      {change: map[string]any{"integrationId": nil, "isFromApi": false}, lacks: true, requests: 3},
		"an entry that has no name":             {change: map[string]any{"integrationId": nil}, lacks: true, requests: 3},
		"another spelling of the name":          {change: map[string]any{"integrationId": " NEW "}, requests: 3},
		"a list that is refused":                {fault: fails(sandbox.FaultStatus, http.StatusForbidden), requests: 1},
		"a list that the service does not have": {fault: fails(sandbox.FaultStatus, http.StatusMethodNotAllowed), requests: 1},
		"a list that is not JSON":               {fault: fails(sandbox.FaultGarbage, 0), requests: 1},
		"a list that fails":                     {fault: fails(sandbox.FaultStatus, http.StatusInternalServerError), requests: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.opts.MaxPageSize = 5
			s, of := issued(t, tt.opts, 12)
			if tt.fault != nil {
				s.Inject(*tt.fault)
			}
			s.Patch(sandbox.KindServiceInvoices, string(of[3].ID), tt.change)
			c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
			lacks(t, c, "first", false)
			if n := len(s.Requests()); n != 0 {
				t.Errorf("%d requests for the first name", n)
			}
			c.listsOf(ModelService).all().asked.Store(2)
			lacks(t, c, "new", tt.lacks)
			if n := len(s.Requests()); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			lacks(t, c, "new", tt.lacks)
			lacks(t, c, " Sale-0-7", false)
			if n := len(s.Requests()); n != tt.requests {
				t.Errorf("%d requests for two more, want none", n-tt.requests)
			}
		})
	}
}

func lacks(t *testing.T, c *Client, name string, want bool) {
	t.Helper()
	if got := c.Lacks(t.Context(), ModelService, name); got != want {
		t.Errorf("the service lacks %q: %t, want %t", name, got, want)
	}
}

// Lists as no sandbox makes them.
func TestLacks_provesNothing(t *testing.T) {
	t.Parallel()
	const one = `{"id":"1","integrationId":"a","status":"authorized"}`
	for name, tt := range rows.Read[map[string]struct {
		Body  string
		Lacks bool
	}](t, "lacks_proves_nothing.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := wired(t, func(*http.Request) (*http.Response, error) { return reply(200, tt.Body), nil })
			lacks(t, c, "first", false)
			lacks(t, c, "new", tt.Lacks)
		})
	}
}

// A list is brought up to date a minute later, by what is dated since its newest entry, and read anew after a while.
func TestLacks_isBroughtUpToDate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 20, 0, 0, 0, SaoPaulo)
	s, _ := issued(t, sandbox.Options{MaxPageSize: 5}, 28)
	c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
	c.listsOf(ModelService).now = func() time.Time { return now }
	c.listsOf(ModelService).all().asked.Store(10)
	var asked []string
	look := func(name string, want bool) {
		t.Helper()
		s.ResetRequests()
		lacks(t, c, name, want)
		for _, r := range s.Requests() {
			since, _, _ := strings.Cut(r.Query.Get("effectiveDateStart"), "T")
			asked = append(asked, r.Query.Get("page")+" "+since)
		}
	}
	sent := func(name string, day time.Time) {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": name, "status": StatusAuthorized, "effectiveDate": day.Format(time.RFC3339)})
	}
	for n, tt := range []struct {
		after time.Duration
		sends string // another machine
		name  string
		lacks bool
		want  string
	}{
		{0, "", "a", true, "[1  2  3  4  5  6 ]"},
		{time.Minute, "b", "b", true, "[]"}, // Not seen yet: a common journal, or the service, prevents it.
		{time.Second, "", "b", false, "[1 2026-03-28]"},
		{time.Second, "", "c", true, "[]"},
		{2 * time.Minute, "d", "e", true, "[1 2026-03-28]"},
		{0, "", "d", false, "[]"},
		{3 * time.Minute, "", "f", true, "[1  2  3  4  5  6 ]"}, // As many were asked for.
		{6 * time.Minute, "", "g", false, "[]"},
	} {
		now, asked = now.Add(tt.after), nil
		if tt.sends != "" {
			sent(tt.sends, now)
		}
		if look(tt.name, tt.lacks); fmt.Sprint(asked) != tt.want {
			t.Errorf("%d: asked for %v, want %s", n, asked, tt.want)
		}
	}
}
