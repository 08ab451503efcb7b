package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// manyHistory is a run of many sales on two machines, where one list answers for all of a machine. Each may send
// between the list that the other has read and its POST.
type manyHistory struct {
	Merges  bool // a POST with a known integrationId is refused where that is valid
	Shares  bool // the machines have one journal
	Lag     time.Duration
	Manner  manner // of the list
	Page    int
	Others  int   // invoices of others, from months before
	Before  []int // sales that were issued long before, of which no journal knows
	Sales   int
	Workers int // of each machine
	Pauses  [2][]time.Duration
}

// manner is how the list of all is unlike the usual one.
type manner int

const (
	usual      manner = iota
	noFilters         // each list shows all
	reversed          // the newest come last
	countsMore        // than it shows
	nameless          // shows no name, except under a filter
	noEnd             // says nowhere where it ends
	backdated         // each invoice has a date of long ago
)

// manyService is a service that authorizes at once.
type manyService struct {
	manyHistory
	mu    sync.Mutex
	sales []soldInvoice // the oldest first
}

type soldInvoice struct {
	id, name string
	on, made time.Time
}

func (s *manyService) RoundTrip(r *http.Request) (*http.Response, error) {
	<-time.After(200 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case r.Method == http.MethodPost && len(parts) == 1:
		body, _ := io.ReadAll(r.Body)
		var sent struct{ IntegrationID string }
		_ = json.Unmarshal(body, &sent)
		if s.Merges && slices.ContainsFunc(s.sales, func(v soldInvoice) bool { return v.name == sent.IntegrationID }) {
			return answer(http.StatusBadRequest, map[string]any{"message": "SPD004"}), nil
		}
		return answer(http.StatusOK, s.shown(s.sold(sent.IntegrationID, time.Now()), true)), nil
	case len(parts) == 1:
		return s.list(r), nil
	}
	for _, v := range s.sales {
		if v.id == parts[1] {
			return answer(http.StatusOK, s.shown(v, true)), nil
		}
	}
	return answer(http.StatusNotFound, nil), nil
}

func (s *manyService) sold(name string, made time.Time) soldInvoice {
	v := soldInvoice{fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", len(s.sales)+1), name, made, made}
	if s.Manner == backdated {
		v.on = v.on.AddDate(0, 0, -10)
	}
	s.sales = append(s.sales, v)
	return v
}

func (s *manyService) shown(v soldInvoice, isNamed bool) map[string]any {
	shown := map[string]any{"id": v.id, "status": "authorized", "amount": 1, "effectiveDate": v.on.Format(time.RFC3339Nano)}
	if isNamed {
		shown["integrationId"] = v.name
	}
	return shown
}

func (s *manyService) list(r *http.Request) *http.Response {
	query := r.URL.Query()
	name, number, size := query.Get("integrationId"), 1, s.Page
	_, _ = fmt.Sscan(query.Get("page"), &number)
	since, _ := time.Parse(time.RFC3339, query.Get("effectiveDateStart"))
	var all []any
	for _, v := range s.sales {
		isOther := name != "" && v.name != name || v.on.Before(since)
		if time.Since(v.made) >= s.Lag && (s.Manner == noFilters || !isOther) {
			all = append(all, s.shown(v, s.Manner != nameless || name != ""))
		}
	}
	if s.Manner != reversed {
		slices.Reverse(all)
	}
	count := len(all)
	if s.Manner == countsMore && name == "" {
		count++
	}
	page := all[min((number-1)*size, len(all)):min(number*size, len(all))]
	if s.Manner == noEnd {
		return answer(http.StatusOK, append([]any{}, page...))
	}
	return answer(http.StatusOK, map[string]any{
		"items": append([]any{}, page...), "totalCount": count, "hasNext": number*size < len(all),
	})
}

// named are the valid invoices of a sale.
func (s *manyService) named(name string) (n int) {
	for _, v := range s.sales {
		if v.name == name {
			n++
		}
	}
	return n
}

func (h manyHistory) play() error {
	s := &manyService{manyHistory: h}
	for n := range h.Others {
		s.sold("other-"+strconv.Itoa(n), time.Now().AddDate(0, -n, 0))
	}
	for _, n := range h.Before {
		s.sold(nameOfSale(n), time.Now().AddDate(0, 0, -1-n))
	}
	stores := [2]*oncetest.Memory{{}, {}}
	if h.Shares {
		stores[1] = stores[0]
	}
	var machines sync.WaitGroup
	errs := make([][2]error, h.Sales)
	for machine := range 2 {
		shared := client("key", s)
		queue := make(chan int)
		for range h.Workers {
			machines.Go(func() {
				for n := range queue {
					i := &Issuing{
						Service: Service{Client: shared, Patience: oncetest.Patience, Clock: poll.RealTime, Store: stores[machine], Owner: "us"},
						Want:    Want{Issue: true}, Model: einvoice.ModelService, IntegrationID: nameOfSale(n),
						Payload: json.RawMessage(`{"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`),
					}
					<-time.After(h.Pauses[machine][n])
					_, errs[n][machine] = i.Create(context.Background())
				}
			})
		}
		machines.Go(func() {
			for n := range h.Sales {
				queue <- n
			}
			close(queue)
		})
	}
	machines.Wait()
	return s.judge(errs)
}

// judge holds what is promised: one each from before; one each with a common journal, and on a service that merges. Else
// the machine that ends later says that there are two, unless the list lags.
func (s *manyService) judge(errs [][2]error) error {
	for n, of := range errs {
		made := s.named(nameOfSale(n))
		isPromised := s.Merges || s.Shares || slices.Contains(s.Before, n)
		isSaid := kindOf(of[0]) == Several || kindOf(of[1]) == Several
		// A list of others that grows by a page while it is read cannot be told from one that repeats a page.
		isUnread := s.Manner == noFilters && (kindOf(of[0]) == RequestFailed || kindOf(of[1]) == RequestFailed)
		switch {
		case made <= 1 && isUnread:
		case made == 0, made > 2, made > 1 && isPromised:
			return fmt.Errorf("%d invoices of sale %d: %v", made, n, of)
		case made > 1 && !isSaid && s.Lag == 0:
			return fmt.Errorf("nobody says that there are %d invoices of sale %d: %v", made, n, of)
		case made == 1 && (of[0] != nil || of[1] != nil):
			return fmt.Errorf("sale %d has ended with %v", n, of)
		}
	}
	return nil
}

func nameOfSale(n int) string { return "sale-" + strconv.Itoa(n) }

var manyHistories = rapid.Custom(func(t *rapid.T) manyHistory {
	sales := rapid.IntRange(2, 8).Draw(t, "sales")
	pauses := rapid.SliceOfN(oncetest.Seconds(0, 0, 0, 1, 2, 20, 61, 130), sales, sales)
	return manyHistory{
		Merges: rapid.Bool().Draw(t, "merges"), Shares: rapid.Bool().Draw(t, "shares"),
		Lag:    oncetest.Seconds(0, 0, 3, 15).Draw(t, "lag"),
		Manner: manner(rapid.IntRange(int(usual), int(backdated)).Draw(t, "manner")),
		Page:   rapid.IntRange(2, 5).Draw(t, "page"), Others: rapid.IntRange(0, 14).Draw(t, "others"),
		Before: rapid.SliceOfNDistinct(rapid.IntRange(0, sales-1), 0, 3, rapid.ID[int]).Draw(t, "before"),
		Sales:  sales, Workers: rapid.IntRange(1, 4).Draw(t, "workers"),
		Pauses: [2][]time.Duration{pauses.Draw(t, "pauses"), pauses.Draw(t, "pauses of the other")},
	}
})

// TestManyModel looks for a run in which the list that many sales share makes one of them two.
func TestManyModel(t *testing.T) {
	t.Parallel()
	search(t, manyHistories)
}
