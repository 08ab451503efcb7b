package einvoice

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyService is a service in memory whose reads by id are right, and whose lists are
// whatever was drawn. Its clock is that of the test.
type anyService struct {
	now      time.Time
	statuses []string               // of each invoice
	dates    []time.Time            // of each invoice
	history  map[int][]statusChange // the latest last

	size     int           // of a page
	lag      time.Duration // of the list
	filters  string        // what of the dates the list honours: "", "start", "both"
	counts   bool          // the list says how much there is
	short    bool          // its entries show little
	omits    int           // every so many entries are left out; 0 for none
	repeats  int           // every so many entries come twice
	fails    int           // every so many pages fail
	pages    int           // asked for
	requests int
}

type statusChange struct {
	on     time.Time
	status string
}

// object is an invoice as it was a while ago, in full or as an entry of a list.
func (s *anyService) object(n int, ago time.Duration, short bool) map[string]any {
	status := s.statuses[n]
	for _, change := range slices.Backward(s.history[n]) {
		if s.now.Add(-ago).Before(change.on) {
			status = change.status // What it was before.
		}
	}
	object := map[string]any{"id": strconv.Itoa(n), "status": status}
	if !short {
		object["number"], object["effectiveDate"] = n+1, s.dates[n].Format(time.RFC3339)
		if status == StatusCanceled {
			object["cancellation"] = map[string]any{"justification": "x"}
		}
	}
	return object
}

func (s *anyService) become(n int, status string) {
	s.history[n] = append(s.history[n], statusChange{s.now, s.statuses[n]})
	s.statuses[n] = status
}

func (s *anyService) answer(r *http.Request) (*http.Response, error) {
	s.requests++
	if _, id, byID := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"); byID {
		if n, err := strconv.Atoi(id); err == nil && s.statuses[n] != "" {
			return s.reply(s.object(n, 0, false)), nil
		}
		return reply(404, `{}`), nil
	}
	if s.pages++; s.fails > 0 && s.pages%s.fails == 0 {
		return reply(500, `{}`), nil
	}
	start, end := time.Time{}, s.now.AddDate(1, 0, 0)
	if text := r.URL.Query().Get("effectiveDateStart"); text != "" && s.filters != "" {
		start, _ = ParseTime(text)
	}
	if text := r.URL.Query().Get("effectiveDateEnd"); text != "" && s.filters == "both" {
		end, _ = ParseTime(text)
	}
	items := []map[string]any{}
	for n := range s.statuses {
		object := s.object(n, s.lag, s.short)
		if object["status"] == "" || s.dates[n].Before(start) || s.dates[n].After(end) || s.omits > 0 && n%s.omits == 0 {
			continue
		}
		items = append(items, object)
		if s.repeats > 0 && n%s.repeats == 0 {
			items = append(items, object)
		}
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from := min((page-1)*s.size, len(items))
	to := min(from+s.size, len(items))
	list := map[string]any{"items": items[from:to], "hasNext": to < len(items)}
	if s.counts {
		list["totalCount"], list["pageCount"] = len(items), (len(items)+s.size-1)/s.size
	}
	return s.reply(list), nil
}

func (s *anyService) reply(v any) *http.Response {
	body, _ := json.Marshal(v)
	return reply(200, string(body))
}

// Whatever the list shows, a refresh concludes what a read by id would, or would have
// when the list that is in use was read; and it costs at most twice what a read of each by
// id does, and what the lists cost that fail.
func TestModel_refreshedInvoicesAreAsReadByID(t *testing.T) {
	t.Parallel()
	statuses := []string{StatusAuthorized, StatusAuthorized, StatusAuthorized, StatusCanceled, StatusDenied, StatusRejected, StatusCreated, ""}
	rapid.Check(t, func(r *rapid.T) {
		s := &anyService{
			now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), history: map[int][]statusChange{},
			size: rapid.IntRange(1, 5).Draw(r, "page size"), lag: time.Duration(rapid.IntRange(0, 90).Draw(r, "lag")) * time.Second,
			filters: rapid.SampledFrom([]string{"", "start", "both", "both"}).Draw(r, "filters"), counts: rapid.Bool().Draw(r, "counts"), short: rapid.Bool().Draw(r, "short"),
			omits: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(r, "omits"), repeats: rapid.SampledFrom([]int{0, 0, 4}).Draw(r, "repeats"), fails: rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(r, "fails"),
		}
		for range rapid.IntRange(1, 80).Draw(r, "invoices") {
			s.statuses = append(s.statuses, rapid.SampledFrom(statuses[:5]).Draw(r, "status"))
			s.dates = append(s.dates, s.now.AddDate(0, 0, -rapid.IntRange(0, 150).Draw(r, "days ago")))
		}
		c, err := New(Config{BaseURL: "https://host.example/v1", APIKey: testKey, Wrap: wire(s.answer).wrap})
		if err != nil {
			r.Fatal(err)
		}
		c.invoices[ModelService].whole.now = func() time.Time { return s.now }
		state := make([]*Invoice, len(s.statuses))
		for n := range state {
			state[n] = s.known(r, n)
		}
		for range rapid.IntRange(1, 6).Draw(r, "rounds") {
			for range rapid.IntRange(0, 5).Draw(r, "changes") {
				s.become(rapid.IntRange(0, len(state)-1).Draw(r, "which"), rapid.SampledFrom(statuses).Draw(r, "becomes"))
			}
			s.now = s.now.Add(time.Duration(rapid.IntRange(0, 40).Draw(r, "seconds")) * time.Second)
			s.requests, s.pages = 0, 0
			order := rapid.Permutation(indexes(len(state))).Draw(r, "order")
			for _, n := range order {
				s.refresh(r, c, state, n)
			}
			if most := 2*len(order) + 6 + 2; s.fails == 0 && s.requests > most { // A first page of each month, and of the whole.
				r.Fatalf("%d requests, %d for pages, for %d invoices", s.requests, s.pages, len(order))
			}
		}
		// Once nothing changes any more, and all lists are new.
		s.now = s.now.Add(s.lag + listLife + time.Second)
		for n := range state {
			s.refresh(r, c, state, n)
			if got, want := string(state[n].Status), s.statuses[n]; got != want {
				r.Fatalf("invoice %d is known as %q, and is %q", n, got, want)
			}
		}
	})
}

// known is an invoice as a read by id shows it.
func (s *anyService) known(r *rapid.T, n int) *Invoice {
	raw, err := json.Marshal(s.object(n, 0, false))
	if err != nil {
		r.Fatal(err)
	}
	v, err := invoiceFrom(&answer{object: raw})
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// refresh keeps in state what one refresh concludes, and checks it.
func (s *anyService) refresh(r *rapid.T, c *Client, state []*Invoice, n int) {
	held, err := c.RefreshInvoice(r.Context(), ModelService, state[n])
	switch {
	case errors.Is(err, ErrNotFound):
		if s.statuses[n] != "" {
			r.Fatalf("invoice %d is not found", n)
		}
		state[n] = &Invoice{ID: state[n].ID}
	case err != nil:
		r.Fatal(err)
	case held != nil:
		if diff := fmt.Sprint(factsOf(held)); diff != fmt.Sprint(factsOf(s.known(r, n))) {
			r.Fatalf("invoice %d is read as %s", n, diff)
		}
		state[n] = held
	case string(state[n].Status) != s.statuses[n]:
		// The list was older than the change.
		last := s.history[n][len(s.history[n])-1].on
		if limit := s.lag + listLife; s.now.Sub(last) > limit {
			r.Fatalf("invoice %d is %q since %s, and unchanged as %q", n, s.statuses[n], s.now.Sub(last), state[n].Status)
		}
	}
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
