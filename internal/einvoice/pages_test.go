package einvoice

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func customers(ids ...string) string {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = `{"id":"` + id + `"}`
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestPages_endTheEndlessList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // However slow the machine is.
		n := 0
		c := wired(t, func(*http.Request) (*http.Response, error) {
			n++
			return reply(200, `{"items":`+customers(strconv.Itoa(n))+`,"hasNext":true}`), nil
		})
		if _, end := all(c.Customers(t.Context())); end == nil || !strings.Contains(end.Error(), "more than 10000 pages") || n != maxPages {
			t.Errorf("%v after %d pages", end, n)
		}
	})
}

// A list that counts its pages may take as long as these need under the limit.
func TestPages_takeAMinuteUnlessTheyAreCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Counts string
		Last   int // page, 0 for none
		Pages  int // that are read
		End    bool
	}](t, "pages_take_a_minute_unless_they_are_counted.json") {
		bubble(t, name, func(t *testing.T) {
			n := 0
			c := wired(t, func(*http.Request) (*http.Response, error) {
				n++
				<-time.After(5 * time.Second)
				return reply(200, fmt.Sprintf(`{"items":[{"id":"%d"}],"hasNext":%t%s}`, n, n != tt.Last, tt.Counts)), nil
			})
			_, end := all(c.Customers(t.Context()))
			if n != tt.Pages || (end == nil) != tt.End {
				t.Errorf("%v after %d pages, want %d", end, n, tt.Pages)
			}
		})
	}
}

// A list need not have many pages to fill a memory.
func TestPages_endTheListThatIsTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // However slow the machine is.
		sent := 0
		c := wired(t, func(r *http.Request) (*http.Response, error) {
			body := fmt.Sprintf(`{"items":[{"id":"%d","name":%q}],"hasNext":true,"nextCursor":"%[1]d"}`, sent, strings.Repeat("x", 1<<17))
			sent += len(body)
			return reply(200, body), nil
		})
		c.maxWalk = 1 << 20
		for name, walk := range map[string]func() error{
			"pages":   func() error { _, end := all(c.Customers(t.Context())); return end },
			"cursors": func() error { _, end := all(c.InboundInvoices(t.Context(), InboundFilter{})); return end },
		} {
			sent = 0
			if end := walk(); end == nil || !strings.Contains(end.Error(), "the list is larger than 1 MiB; narrow it with filters, or set a lower limit") {
				t.Errorf("%s: %v", name, end)
			}
			if sent > 10<<17 {
				t.Errorf("%s: %d bytes were read", name, sent)
			}
		}
		if c := mustClient(t, Config{BaseURL: "https://host.example/v1"}); c.maxWalk != 1<<30 {
			t.Errorf("a walk may read %d bytes", c.maxWalk)
		}
	})
}

func TestEach_handsOverAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	for _, tt := range rows.Read[[]struct {
		Name                  string
		Statuses              []Enum
		OnlyAuthorized, Fails bool
		Limit                 int64
		Found, Looked         int
		More                  bool
	}](t, "each_hands_over_as_many_as_the_limit.json") {
		found, looked := 0, 0
		more, err := Each(func(yield func(*Invoice, error) bool) {
			for _, status := range tt.Statuses {
				if looked++; !yield(&Invoice{Status: status}, nil) {
					return
				}
			}
			if tt.Fails {
				yield(nil, broken)
			}
		}, func(v *Invoice) bool {
			return !tt.OnlyAuthorized || v.Status == StatusAuthorized
		}, tt.Limit, func(*Invoice) { found++ })
		want := []any{tt.Found, tt.More, tt.Looked, tt.Fails, tt.Fails}
		expect.Same(t, want, []any{found, more, looked, errors.Is(err, broken), err != nil}, "%s", tt.Name)
	}
}

func TestMatching_readsAListThatChangesOnceMore(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	for name, test := range map[string]struct {
		ends  []error // of each reading
		found int
		err   error
	}{
		"it is whole":                   {[]error{nil}, 1, nil},
		"it changed while it was read":  {[]error{errIncomplete, nil}, 1, nil},
		"it never shows what it counts": {[]error{errIncomplete, errIncomplete}, 0, errIncomplete},
		"it cannot be read":             {[]error{broken}, 0, broken},
	} {
		readings := 0
		list := func(yield func(*Invoice, error) bool) {
			end := test.ends[readings]
			readings++
			if yield(&Invoice{}, nil) && end != nil {
				yield(nil, end)
			}
		}
		found, err := Matching(list, func(*Invoice) bool { return true })
		if len(found) != test.found || !errors.Is(err, test.err) || readings != len(test.ends) {
			t.Errorf("%s: found %d, error %v after %d readings; want %d, %v, %d", name, len(found), err, readings, test.found, test.err, len(test.ends))
		}
	}
}

// A list proves what it can, and no more: each row is a service whose list has 12 invoices, in pages of 5.
func TestLacks_provesWhatTheListCan(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		IgnoresFilters, Lags bool
		Fault                sandbox.FaultKind
		Status               int
		Change               map[string]any // of one entry
		Lacks                bool
		Requests             int
	}](t, "lacks_proves_what_the_list_can.json") {
		rows.Case(t, name, func(t *testing.T) {
			opts := sandbox.Options{MaxPageSize: 5, IgnoreFilters: tt.IgnoresFilters}
			if tt.Lags {
				opts.ListLag = time.Hour
			}
			s, of := issued(t, opts, 12)
			if tt.Fault != "" {
				s.Inject(sandbox.Fault{Kind: tt.Fault, Status: tt.Status, Method: "GET", Path: "/v1/service-invoices", Times: -1})
			}
			s.Patch(sandbox.KindServiceInvoices, string(of[3].ID), tt.Change)
			c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
			lacks(t, c, "first", false)
			expect.Is(t, len(s.Requests()), 0, "requests for the first name")
			c.listsOf(ModelService).all().asked.Store(2)
			lacks(t, c, "new", tt.Lacks)
			expect.Is(t, len(s.Requests()), tt.Requests, "requests")
			lacks(t, c, "new", tt.Lacks)
			lacks(t, c, " Sale-0-7", false)
			if n := len(s.Requests()); n != tt.Requests {
				t.Errorf("%d requests for two more, want none", n-tt.Requests)
			}
		})
	}
}

func lacks(t *testing.T, c *Client, name string, want bool) {
	t.Helper()
	expect.Is(t, c.Lacks(t.Context(), ModelService, name), want, "the service lacks %q", name)
}

// Lists as no sandbox makes them.
func TestLacks_provesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Body  string
		Lacks bool
	}](t, "lacks_proves_nothing.json") {
		rows.Case(t, name, func(t *testing.T) {
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
