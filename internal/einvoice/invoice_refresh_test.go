package einvoice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

func TestRefreshInvoice_readsByIDWhatMayBeOtherwise(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Held   Enum           // in state
		Change map[string]any // at the service
		ByID   bool
	}](t, "refresh_invoice_reads_by_id_what_may_be_otherwise.json") {
		rows.Case(t, name, func(t *testing.T) {
			s, list := issued(t, sandbox.Options{}, 20)
			c := ownerOf(t, s)
			v := list[4]
			s.Patch(sandbox.KindServiceInvoices, string(v.ID), tt.Change)
			v.Status = tt.Held
			refreshed(t, s, c, list[5:], 1) // The list is in use.
			unchanged := refreshed(t, s, c, []*Invoice{v}, 1)
			if n := len(s.Requests()); (unchanged == 0) != tt.ByID || n != 1-unchanged {
				t.Errorf("unchanged %d, after %d requests", unchanged, n)
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
	for line, forgets := range map[string]bool{
		`cancel_invoice "serviceInvoice" "ID" "Pedido cancelado pelo cliente"`: true,
		`update_order_status "none" "approved"`:                                true,
		`create_customer {"name":"x"}`:                                         false,
	} {
		for _, invoices := range []int{30, 303} { // The whole list, and that of a month.
			rows.Case(t, fmt.Sprintf("%s, of %d", line, invoices), func(t *testing.T) {
				s, list := issued(t, sandbox.Options{MaxPageSize: 10}, 30, invoices-30)
				c := ownerOf(t, s)
				refreshed(t, s, c, list[:20], 1)
				_, err := ask(t, c, strings.Replace(line, "ID", string(list[25].ID), 1))
				if err != nil && !errors.Is(err, ErrNotFound) {
					t.Fatal(err)
				}
				refreshed(t, s, c, list[20:21], 1)
				if n := len(s.Requests()); (n > 0) != forgets {
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
		rows.Case(t, name, func(t *testing.T) {
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

// sent is an account in which n invoices have just been sent and are followed.
func sent(t *testing.T, n int, opts sandbox.Options) (*sandbox.Server, *sandbox.ManualClock, *Client, []*Invoice) {
	t.Helper()
	clock := sandbox.NewManualClock(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	opts.Clock = clock
	s := sandbox.Start(t, opts)
	for range 150 {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": StatusAuthorized, "effectiveDate": "2026-03-09T10:00:00Z"})
	}
	c, invoices := ownerOf(t, s), make([]*Invoice, n)
	c.lists[kindInvoice(ModelService)].now = clock.Now
	for i := range invoices {
		v, err := c.CreateInvoice(t.Context(), ModelService, fmt.Appendf(nil,
			`{"integrationId":"order-%d","description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`, i), nil)
		must(t, err)
		t.Cleanup(c.FollowInvoice(ModelService, v, 5*time.Second))
		invoices[i] = v
	}
	s.ResetRequests()
	return s, clock, c, invoices
}

func TestPollInvoice_waitsUntilTheListIsTrusted(t *testing.T) {
	t.Parallel()
	s, clock, c, invoices := sent(t, 30, sandbox.Options{AuthorizeAfter: 2 * time.Second})
	clock.Advance(3 * time.Second)
	s.Settle()
	atOnce(30, 30, func(i int) {
		if v, err := c.PollInvoice(t.Context(), ModelService, invoices[i]); err != nil || v.Status != "authorized" {
			t.Errorf("%+v, %v", v, err)
		}
	})
	expect.Is(t, s.Count("GET", "/v1/service-invoices/{id}"), 1, "reads by id for 30 invoices at once")
	expect.Is(t, s.Count("GET", "/v1/service-invoices"), 1, "lists for 30 invoices at once")
}

// Whoever counts how long an invoice is not found must not be told in between that nothing has changed.
func TestPollInvoice_repeatsAFailedRead(t *testing.T) {
	t.Parallel()
	s, clock, c, invoices := sent(t, 8, sandbox.Options{AuthorizeAfter: time.Hour})
	for n := range 4 {
		clock.Advance(5 * time.Second)
		for i, v := range invoices {
			if n > 0 && i > 0 {
				break
			}
			if _, err := c.PollInvoice(t.Context(), ModelService, v); errors.Is(err, ErrNotFound) != (n > 0) {
				t.Errorf("an invoice that is gone is polled as %v", err)
			}
		}
		s.Remove(sandbox.KindServiceInvoices, string(invoices[0].ID))
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
		poll := func() error { return errorOf(c.PollInvoice(t.Context(), ModelService, &Invoice{ID: "1"})) }
		write := func() error { return errorOf(c.CreateInvoice(t.Context(), ModelService, []byte(`{}`), nil)) }
		many := func(n int, do func() error) (wait func()) {
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					if err := do(); err != nil {
						t.Error(err)
					}
				})
			}
			return all.Wait
		}
		endPolls := many(100, poll) // More than a minute allows.
		<-time.After(20 * time.Second)
		begun := time.Now()
		many(9, write)()
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("9 writes took %s beside 100 polls", took)
		}
		endPolls()

		// And the other way round: polls are not held up for ever.
		endWrites := many(300, write)
		<-time.After(time.Second)
		begun = time.Now()
		many(1, poll)()
		if took := time.Since(begun); took < 30*time.Second || took > 6*time.Minute {
			t.Errorf("a poll beside 300 writes took %s", took)
		}
		endWrites()
		expect.Is(t, service.Refusals(), 0, "refusals")
	})
}

// account is a sandbox with n customers, and a client of it.
func account(t *testing.T, n int, opts sandbox.Options) (*sandbox.Server, *Client, []string) {
	t.Helper()
	s := sandbox.Start(t, opts)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = s.Seed(sandbox.KindCustomers, map[string]any{"name": "Cliente " + strconv.Itoa(i)})
	}
	return s, ownerOf(t, s), ids
}

// ownerOf is a client of a sandbox with the main company's key.
func ownerOf(t *testing.T, s *sandbox.Server) *Client {
	t.Helper()
	return mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
}

// refreshAll reads customers by so many readers at once, and returns what each read of an id ended with.
func refreshAll(ctx context.Context, c *Client, ids []string, readers int, known func(*Customer) bool) (names []Text, errs []error) {
	names, errs = make([]Text, len(ids)), make([]error, len(ids))
	atOnce(readers, len(ids), func(i int) {
		v, err := Refresh(ctx, c, KindCustomer, ids[i], known)
		if errs[i] = err; err == nil {
			names[i] = v.Name
		}
	})
	return names, errs
}

// atOnce does n things, so many of them at the same time.
func atOnce(workers, n int, do func(i int)) {
	queue := make(chan int)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for i := range queue {
				do(i)
			}
		})
	}
	for i := range n {
		queue <- i
	}
	close(queue)
	running.Wait()
}

// mustRefresh fails the test unless each customer is read as the service has it.
func mustRefresh(t *testing.T, s *sandbox.Server, c *Client, ids []string, readers int, known func(*Customer) bool) {
	t.Helper()
	names, errs := refreshAll(t.Context(), c, ids, readers, known)
	for i, id := range ids {
		if object, _ := s.Object(sandbox.KindCustomers, id); errs[i] != nil || string(names[i]) != object["name"] {
			t.Errorf("%s is read as %q, %v, and is %q", id, names[i], errs[i], object["name"])
		}
	}
}

func asFirst(c *Customer) bool { return strings.HasPrefix(string(c.Name), "Cliente ") }

func requests(s *sandbox.Server) (byID, pages int) {
	return s.Count("GET", "/v1/customers/{id}"), s.Count("GET", "/v1/customers")
}

func TestRefresh_takesNoChangeFromAListThatLags(t *testing.T) {
	t.Parallel()
	clock := sandbox.NewManualClock(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	s, _, ids := account(t, 100, sandbox.Options{Clock: clock, ListLag: time.Minute})
	clock.Advance(time.Hour)
	// Another process changes many and adds some just before.
	other := ownerOf(t, s)
	for i, id := range ids {
		if i%4 != 3 && i < 50 {
			continue
		}
		must(t, errorOf(other.UpdateCustomer(t.Context(), id, Customer{Name: Text("Novo " + strconv.Itoa(i))}, Customer{}, nil)))
	}
	for i := range 5 {
		v, err := other.CreateCustomer(t.Context(), Customer{Name: Text("Novo também " + strconv.Itoa(i))}, nil)
		must(t, err)
		ids = slices.Insert(ids, i*9, string(v.ID))
	}
	for _, readers := range []int{1, 10, 30} {
		c := ownerOf(t, s)
		// The caller knows what the other process did, as a state does.
		mustRefresh(t, s, c, ids, readers, func(v *Customer) bool {
			object, _ := s.Object(sandbox.KindCustomers, string(v.ID))
			return object["name"] == string(v.Name)
		})
	}
}

// Each row is an account with customers, and what its client does one after the other.
func TestRefresh_readsWhatTheListCannotShow(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Options   sandbox.Options
		Customers int
		Steps     []struct {
			Waits       rows.Span
			Does        string // an operation, which may be refused; ID is that of the first customer
			Fault       *sandbox.Fault
			Reads       [2]int // customers: from, and up to
			Readers     int    // at once
			Unknown     bool   // They are not as the caller knows them.
			Kind        string // of the error of each
			ByID, Pages int    // requests
		}
	}](t, "refresh_reads_what_the_list_cannot_show.json") {
		rows.Case(t, name, func(t *testing.T) {
			now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
			s, c, ids := account(t, tt.Customers, tt.Options)
			c.lists[KindCustomer].now = func() time.Time { return now }
			for i, step := range tt.Steps {
				now = now.Add(time.Duration(step.Waits))
				if step.Does != "" {
					v, err := ask(t, c, strings.Replace(step.Does, "ID", ids[0], 1))
					if err != nil && !errors.Is(err, ErrBadRequest) {
						t.Fatal(err)
					}
					if created, ok := v.(*Customer); ok && strings.HasPrefix(step.Does, "create") {
						ids = append(ids, string(created.ID))
					}
				}
				if step.Fault != nil {
					s.Inject(*step.Fault)
				}
				s.ResetRequests()
				names, errs := refreshAll(t.Context(), c, ids[step.Reads[0]:step.Reads[1]], step.Readers, func(*Customer) bool { return !step.Unknown })
				for n, err := range errs {
					object, _ := s.Object(sandbox.KindCustomers, ids[step.Reads[0]+n])
					if kinds(err) != step.Kind || err == nil && string(names[n]) != object["name"] {
						t.Errorf("step %d: %v is read as %q, %v", i+1, object["name"], names[n], err)
					}
				}
				if byID, pages := requests(s); step.Kind == "" && (byID != step.ByID || pages != step.Pages) {
					t.Errorf("step %d: %d reads by id and %d pages, want %d and %d", i+1, byID, pages, step.ByID, step.Pages)
				}
			}
		})
	}
}

func TestRefresh_provesAbsence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		opts                 sandbox.Options
		objects, left        int
		mostByID, mostOfList int
	}{
		{"with reads by id", sandbox.Options{MaxPageSize: 10}, 60, 40, 20 + 11, 5},
		{"by lists alone", sandbox.Options{MaxPageSize: 10, NoReadByID: true}, 60, 40, 20 + 11 + 1, 5},
		{"when all are gone", sandbox.Options{}, 30, 0, 30, 2},
	} {
		rows.Case(t, tt.name, func(t *testing.T) {
			s, c, ids := account(t, tt.objects, tt.opts)
			for _, id := range ids[tt.left:] {
				s.Remove(sandbox.KindCustomers, id)
			}
			_, errs := refreshAll(t.Context(), c, ids, 10, asFirst)
			for i, err := range errs {
				if errors.Is(err, ErrNotFound) != (i >= tt.left) || err != nil && i < tt.left {
					t.Errorf("%d: %v", i, err)
				}
			}
			if byID, pages := requests(s); byID > tt.mostByID || pages > tt.mostOfList {
				t.Errorf("%d reads by id, %d pages", byID, pages)
			}
		})
	}
}

// An object moves to the page before when one in front of it is deleted during the walk, and the walk misses it.
func TestRefresh_takesNoObjectForGoneWhenPagesMove(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]sandbox.Options{"with reads by id": {MaxPageSize: 10}, "by lists alone": {MaxPageSize: 10, NoReadByID: true}} {
		rows.Case(t, name, func(t *testing.T) {
			s, c, ids := account(t, 40, opts)
			moved := 0
			s.OnRequest(func(r sandbox.Request) {
				if r.Query.Get("page") == "2" && moved == 0 {
					moved++
					s.Remove(sandbox.KindCustomers, ids[0])
				}
			})
			mustRefresh(t, s, c, ids[1:], 1, asFirst)
			if moved == 0 {
				t.Error("no page moved")
			}
		})
	}
}

// shortList is a client of a service whose entries of a list lack members that the
// object read by id has, and a count of the reads of the list.
func shortList(t *testing.T, entries []string, members string) (c *Client, lists *int) {
	t.Helper()
	lists = new(int)
	answer := `{"items":[` + strings.Join(entries, ",") + `],"hasNext":false,"totalCount":` + strconv.Itoa(len(entries)) + `}`
	return wired(t, func(r *http.Request) (*http.Response, error) {
		if _, id, byID := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"); byID {
			return reply(200, `{"id":"`+id+`",`+members+`}`), nil
		}
		*lists++
		return reply(200, answer), nil
	}), lists
}

// The first object may have nothing that its entry could lack.
func TestRefresh_stopsUsingAListOfShorterEntries(t *testing.T) {
	t.Parallel()
	c := wired(t, func(r *http.Request) (*http.Response, error) {
		switch _, id, byID := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"); {
		case !byID:
			return reply(200, `[{"id":"0"},{"id":"1"},{"id":"2"},{"id":"3"}]`), nil
		case id == "0":
			return reply(200, `{"id":"0"}`), nil
		default:
			return reply(200, `{"id":"`+id+`","email":"new@x.example"}`), nil
		}
	})
	for i, isKnown := range []bool{true, true, false, true} { // The second is hidden, until the third is read.
		v, err := Refresh(t.Context(), c, KindCustomer, strconv.Itoa(i), func(*Customer) bool { return isKnown })
		if err != nil || (v.Email != "") != (i > 1) {
			t.Errorf("%d: %+v, %v", i, v, err)
		}
	}
}

// The next reader goes on where the one that reads the list gives up.
func TestRefresh_endsWithItsReaderAlone(t *testing.T) {
	t.Parallel()
	s, c, ids := account(t, 50, sandbox.Options{})
	mustRefresh(t, s, c, ids[:1], 1, asFirst)
	ctx, cancel := context.WithCancel(t.Context())
	asked, stopped := make(chan struct{}), make(chan struct{})
	s.Before("GET", "/v1/customers", func() { close(asked); <-stopped })
	ended := make(chan error, 1)
	go func() {
		_, err := Refresh(ctx, c, KindCustomer, ids[1], asFirst)
		ended <- err
	}()
	<-asked // The list is being read for the one that gives up.
	waiting, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := Refresh(waiting, c, KindCustomer, ids[2], asFirst)
		left <- err
	}()
	leave()
	cancel()
	for name, err := range map[string]error{"reader": <-ended, "one that waits": <-left} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotFound) {
			t.Errorf("the canceled %s ended with %v", name, err)
		}
	}
	close(stopped)
	mustRefresh(t, s, c, ids[3:], 10, asFirst)
	if byID, pages := requests(s); byID != 1 || pages != 2 {
		t.Errorf("%d reads by id, %d pages", byID, pages)
	}
}

func TestLacksMembers(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Object, Entry string
		Want                bool
	}](t, "lacks_members.json") {
		expect.Is(t, lacksMembers([]byte(tt.Entry), []byte(tt.Object)), tt.Want, "%s: %s lacks members of %s", tt.Name, tt.Entry, tt.Object)
	}
}
