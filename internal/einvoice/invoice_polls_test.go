package einvoice

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

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
	if *lists != 1 {
		t.Errorf("the list was read %d times", *lists)
	}
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
		if n := service.Refusals(); n != 0 {
			t.Errorf("%d refusals", n)
		}
	})
}
