package einvoice

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// issued is a sandbox with so many authorized invoices in each month, the last one
// first, and those of the workspace, as it knows them.
func issued(t *testing.T, opts sandbox.Options, months ...int) (*sandbox.Server, []*Invoice) {
	t.Helper()
	s := sandbox.Start(t, opts)
	var list []*Invoice
	for month, n := range months {
		for i := range n {
			date := time.Date(2026, 3, 1+i%28, 12, 0, 0, 0, SaoPaulo).AddDate(0, -month, 0).Format(time.RFC3339)
			id := s.Seed(sandbox.KindServiceInvoices, map[string]any{
				"integrationId": fmt.Sprintf("sale-%d-%d", month, i), "status": StatusAuthorized, "number": i + 1, "amount": 10.5, "effectiveDate": date,
			})
			list = append(list, &Invoice{
				ID: Text(id), Status: StatusAuthorized, Number: ptr(Int(i + 1)), EffectiveDate: Text(date),
			})
		}
	}
	for _, v := range list {
		document, _ := s.Object(sandbox.KindServiceInvoices, string(v.ID))
		v.IssuedOn = Text(fmt.Sprint(document["issuedOn"]))
	}
	return s, list
}

// isNumbered returns a function that reports whether an entry shows no other number than an invoice.
func isNumbered(v *Invoice) func(*Invoice) bool {
	return func(entry *Invoice) bool { return entry.Number == nil || *entry.Number == *v.Number }
}

// refreshed reads invoices by so many readers at once, and counts those that are as they are known.
func refreshed(t *testing.T, s *sandbox.Server, c *Client, list []*Invoice, readers int) (unchanged int) {
	t.Helper()
	s.ResetRequests()
	same := make(chan bool, len(list))
	atOnce(readers, len(list), func(i int) {
		held, err := c.RefreshInvoice(t.Context(), ModelService, list[i], isNumbered(list[i]))
		if err != nil || held != nil && held.ID != list[i].ID {
			t.Errorf("%s is read as %+v, %v", list[i].ID, held, err)
		}
		same <- held == nil
	})
	close(same)
	for is := range same {
		if is {
			unchanged++
		}
	}
	return unchanged
}

func first(n int) func([]*Invoice) []*Invoice {
	return func(list []*Invoice) []*Invoice { return list[:n] }
}

func TestRefreshInvoice_readsByIDWhatMayBeOtherwise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status string         // in state
		change map[string]any // at the service
		byID   bool
	}{
		{"unchanged", StatusAuthorized, nil, false},
		{"canceled as before", StatusCanceled, map[string]any{"status": StatusCanceled}, false},
		{"canceled elsewhere", StatusAuthorized, map[string]any{"status": StatusCanceled}, true},
		{"another number", StatusAuthorized, map[string]any{"number": 99_999}, true},
		{"written otherwise", StatusAuthorized, map[string]any{"number": "5"}, false},
		{"entry with less", StatusAuthorized, map[string]any{"number": 0, "effectiveDate": nil}, false},
		{"entry without a status", StatusAuthorized, map[string]any{"status": nil}, true},
		{"what the state does not keep", StatusAuthorized, map[string]any{"receiver": map[string]any{"name": "x"}}, false},
		{"draft", StatusCreated, map[string]any{"status": StatusCreated}, true},
		{"rejected", StatusRejected, map[string]any{"status": StatusRejected}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, list := issued(t, sandbox.Options{}, 20)
			c := ownerOf(t, s)
			v := list[4]
			s.Patch(sandbox.KindServiceInvoices, string(v.ID), tt.change)
			v.Status = Enum(tt.status)
			refreshed(t, s, c, list[5:], 1) // The list is in use.
			if unchanged := refreshed(t, s, c, []*Invoice{v}, 1); (unchanged == 0) != tt.byID || len(s.Requests()) != 1-unchanged {
				t.Errorf("unchanged %d, after %d requests", unchanged, len(s.Requests()))
			}
		})
	}
}

// What is not found stays an error of its own, and costs no list.
func TestRefreshInvoice_looksForNothingThatIsGone(t *testing.T) {
	t.Parallel()
	s, list := issued(t, sandbox.Options{}, 30)
	c := ownerOf(t, s)
	s.Remove(sandbox.KindServiceInvoices, string(list[7].ID))
	refreshed(t, s, c, list[10:], 1)
	s.ResetRequests()
	if held, err := c.RefreshInvoice(t.Context(), ModelService, list[7], isNumbered(list[7])); !errors.Is(err, ErrNotFound) || held != nil || len(s.Requests()) != 1 {
		t.Errorf("read as %+v, %v after %d requests", held, err, len(s.Requests()))
	}
}

func TestRefreshInvoice_forgetsAfterAWrite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		write  func(c *Client, id string) error
		forget bool
	}{
		"to an invoice": {func(c *Client, id string) error {
			return errorOf(c.CancelInvoice(t.Context(), ModelService, id, "Pedido cancelado pelo cliente", nil))
		}, true},
		"to an order": {func(c *Client, _ string) error {
			_, err := c.SetOrderStatus(t.Context(), "none", OrderApproved, nil)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		}, true},
		"to something else": {func(c *Client, _ string) error {
			return errorOf(c.CreateCustomer(t.Context(), Customer{Name: "x"}, nil))
		}, false},
	} {
		for _, invoices := range []int{30, 303} { // The whole list, and that of a month.
			t.Run(fmt.Sprintf("%s, of %d", name, invoices), func(t *testing.T) {
				t.Parallel()
				s, list := issued(t, sandbox.Options{MaxPageSize: 10}, 30, invoices-30)
				c := ownerOf(t, s)
				refreshed(t, s, c, list[:20], 1)
				must(t, tt.write(c, string(list[25].ID)))
				refreshed(t, s, c, list[20:21], 1)
				if n := len(s.Requests()); (n > 0) != tt.forget {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}

// A list that is read shows the second invoice for nothing. Without one, the first invoice
// of a run that was issued recently costs one request.
func TestBeside_namesTheSecondValidInvoice(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Status   string // of the second one
		Refresh  int    // invoices, so that the list is read where they are many
		Old      bool
		Found    int
		Requests int
	}](t, "beside_names_the_second_valid_invoice.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, list := issued(t, sandbox.Options{}, 30)
			s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "sale-0-0", "status": tt.Status})
			c := ownerOf(t, s)
			refreshed(t, s, c, list[1:1+tt.Refresh], 1)
			s.ResetRequests()
			v := list[0]
			v.IntegrationID, v.IssuedOn = "sale-0-0", Text(time.Now().Format(time.RFC3339))
			if tt.Old {
				v.IssuedOn = Text(time.Now().AddDate(0, 0, -2).Format(time.RFC3339))
			}
			for n := range 2 {
				beside := c.Beside(t.Context(), ModelService, v)
				if found := len(beside); found != tt.Found && (n == 0 || tt.Requests == 0) {
					t.Errorf("%d lie beside it, want %d", found, tt.Found)
				}
			}
			expect.Is(t, len(s.Requests()), tt.Requests, "requests")
		})
	}
}

// pollBench is an account in which n invoices have just been sent.
type pollBench struct {
	*sandbox.Server
	t        *testing.T
	clock    *sandbox.ManualClock
	client   *Client
	invoices []*Invoice
}

func newPollBench(t *testing.T, n int, opts sandbox.Options, outcome func(i int) sandbox.Outcome) *pollBench {
	t.Helper()
	clock := sandbox.NewManualClock(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	opts.Clock = clock
	b := &pollBench{Server: sandbox.Start(t, opts), t: t, clock: clock}
	for range 150 {
		b.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized", "effectiveDate": "2026-03-09T10:00:00-03:00"})
	}
	b.client = mustClient(t, Config{BaseURL: b.BaseURL(), APIKey: b.OwnerKey()})
	b.client.lists[kindInvoice(ModelService)].now = clock.Now
	for i := range n {
		id := "order-" + strconv.Itoa(i)
		if outcome != nil {
			b.ScriptInvoice(id, outcome(i))
		}
		v, err := b.client.CreateInvoice(t.Context(), ModelService, []byte(`{"integrationId":"`+id+`","description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`), nil)
		must(t, err)
		t.Cleanup(b.client.FollowInvoice(ModelService, v, 5*time.Second))
		b.invoices = append(b.invoices, v)
	}
	b.ResetRequests()
	return b
}

// poll moves the clock and polls every invoice that is still in process. It
// returns the requests that this took, and how many are in process now.
func (b *pollBench) poll(d time.Duration) (byID, lists, inProcess int) {
	b.t.Helper()
	b.clock.Advance(d)
	b.Settle()
	b.ResetRequests()
	for i, v := range b.invoices {
		if v.Status != "enqueued" {
			continue
		}
		v, err := b.client.PollInvoice(b.t.Context(), ModelService, v)
		must(b.t, err)
		if b.invoices[i] = v; v.Status == "enqueued" {
			inProcess++
		} else if actual, _ := b.Object(sandbox.KindServiceInvoices, string(v.ID)); actual["status"] != string(v.Status) || string(v.AccessKey) != actual["accessKey"] && actual["accessKey"] != nil {
			b.t.Errorf("invoice %s is %s by its poll, and %v", v.ID, v.Status, actual["status"])
		}
	}
	return b.Count("GET", "/v1/service-invoices/{id}"), b.Count("GET", "/v1/service-invoices"), inProcess
}

func TestPollInvoice_waitsUntilTheListIsTrusted(t *testing.T) {
	t.Parallel()
	b := newPollBench(t, 30, sandbox.Options{AuthorizeAfter: 2 * time.Second}, nil)
	b.clock.Advance(3 * time.Second)
	b.Settle()
	var polls sync.WaitGroup
	for _, v := range b.invoices {
		polls.Go(func() {
			if v, err := b.client.PollInvoice(t.Context(), ModelService, v); err != nil || v.Status != "authorized" {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	polls.Wait()
	if byID, lists := b.Count("GET", "/v1/service-invoices/{id}"), b.Count("GET", "/v1/service-invoices"); byID != 1 || lists != 1 {
		t.Errorf("%d reads by id and %d lists for 30 invoices at once", byID, lists)
	}
}

// Whoever counts how long an invoice is not found must not be told in between that nothing has changed.
func TestPollInvoice_repeatsAFailedRead(t *testing.T) {
	t.Parallel()
	b := newPollBench(t, 8, sandbox.Options{AuthorizeAfter: time.Hour}, nil)
	b.poll(5 * time.Second)
	b.Remove(sandbox.KindServiceInvoices, string(b.invoices[0].ID))
	for range 3 {
		b.clock.Advance(5 * time.Second)
		if _, err := b.client.PollInvoice(t.Context(), ModelService, b.invoices[0]); !errors.Is(err, ErrNotFound) {
			t.Errorf("an invoice that is gone is polled as %v", err)
		}
	}
}

// An entry that lacks members would leave them out of the state.
func TestPollInvoice_takesNothingFromShorterEntries(t *testing.T) {
	t.Parallel()
	entries := []string{`{"id":"0","status":"authorized"}`, `{"id":"1","status":"authorized"}`, `{"id":"2","status":"authorized"}`}
	c, lists := shortList(t, entries, `"status":"authorized","accessKey":"k"`)
	for i := range 3 {
		v := &Invoice{ID: Text(strconv.Itoa(i)), Status: "enqueued", IssuedOn: "2026-03-10T09:00:00-03:00"}
		defer c.FollowInvoice(ModelService, v, 5*time.Second)()
	}
	for i := range 3 {
		v, err := c.PollInvoice(t.Context(), ModelService, &Invoice{ID: Text(strconv.Itoa(i)), Status: "enqueued"})
		if err != nil || v.AccessKey != "k" {
			t.Errorf("%+v, %v", v, err)
		}
	}
	expect.Is(t, *lists, 1, "the list was read times")
}

func TestPollInvoice_letsWritesGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := pacetest.Usual()
		c := wired(t, over(service), func(cfg *Config) {
			cfg.RequestsPerMinute, cfg.RequestsPerSecond, cfg.MaxRetries = 60, 5, 2
		})
		poll := func(wg *sync.WaitGroup) {
			wg.Go(func() {
				if _, err := c.PollInvoice(t.Context(), ModelService, &Invoice{ID: "1"}); err != nil {
					t.Error(err)
				}
			})
		}
		var polls, writes sync.WaitGroup
		for range 100 { // More than a minute allows.
			poll(&polls)
		}
		<-time.After(20 * time.Second)
		begun := time.Now()
		for range 9 {
			writes.Go(func() {
				if _, err := c.CreateInvoice(t.Context(), ModelService, []byte(`{}`), nil); err != nil {
					t.Error(err)
				}
			})
		}
		writes.Wait()
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("9 writes took %s beside 100 polls", took)
		}
		polls.Wait()

		// And the other way round: polls are not held up for ever.
		for range 300 {
			writes.Go(func() { _, _ = c.CreateInvoice(t.Context(), ModelService, []byte(`{}`), nil) })
		}
		<-time.After(time.Second)
		begun = time.Now()
		poll(&polls)
		polls.Wait()
		if took := time.Since(begun); took < 30*time.Second || took > 6*time.Minute {
			t.Errorf("a poll beside 300 writes took %s", took)
		}
		writes.Wait()
		expect.Is(t, service.Refusals(), 0, "refusals")
	})
}
