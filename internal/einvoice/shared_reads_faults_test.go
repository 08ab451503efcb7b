package einvoice

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestRefresh_withoutAList(t *testing.T) {
	t.Parallel()
	refused := sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/customers", Status: 403, Times: -1}
	t.Run("reads by id", func(t *testing.T) {
		t.Parallel()
		s, c, ids := account(t, 200, sandbox.Options{})
		s.Inject(refused)
		mustRefresh(t, s, c, ids, 10, asFirst)
		if byID, pages := requests(s); byID != 200 || pages > 8 {
			t.Errorf("%d reads by id, %d attempts at the list", byID, pages)
		}
	})
	for name, readBefore := range map[string]bool{"tells everybody where nothing is read by id": false, "tells so too when there was one before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c, ids := account(t, 40, sandbox.Options{NoReadByID: true})
			if readBefore {
				mustRefresh(t, s, c, ids, 10, asFirst)
				c.shared[routeCustomers].written()
			}
			s.Inject(refused)
			_, errs := refreshAll(t.Context(), c, ids, 10, asFirst)
			for _, err := range errs {
				wantKind(t, err, "forbidden")
			}
		})
	}
	t.Run("goes on when the list is back", func(t *testing.T) {
		t.Parallel()
		s, c, ids := account(t, 200, sandbox.Options{MaxPageSize: 50})
		s.Inject(sandbox.Fault{Kind: sandbox.FaultGarbage, Method: "GET", Path: "/v1/customers", Times: 1, Skip: 2})
		mustRefresh(t, s, c, ids, 10, asFirst)
		if n := len(s.Requests()); n > 40 {
			t.Errorf("%d requests", n)
		}
	})
}

// shortList is a client of a service whose entries of a list lack members that the
// object read by id has, and a count of the reads of the list.
func shortList(t *testing.T, entries []string, members string) (c *Client, lists *int) {
	t.Helper()
	lists = new(int)
	answer := `{"items":[` + strings.Join(entries, ",") + `],"hasNext":false,"totalCount":` + strconv.Itoa(len(entries)) + `}`
	return mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: testKey, Wrap: wire(func(r *http.Request) (*http.Response, error) {
		if _, id, byID := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"); byID {
			return reply(200, `{"id":"`+id+`",`+members+`}`), nil
		}
		*lists++
		return reply(200, answer), nil
	}).wrap}), lists
}

// A list whose entries lack members would hide every change of these.
func TestRefresh_neverUsesAListOfShorterEntries(t *testing.T) {
	t.Parallel()
	items := make([]string, 50)
	for i := range items {
		items[i] = `{"id":"` + strconv.Itoa(i) + `","name":"x"}`
	}
	c, pages := shortList(t, items, `"name":"x","email":"new@x.example"`)
	for i := range 50 {
		v, err := c.RefreshCustomer(t.Context(), strconv.Itoa(i), func(v *Customer) bool { return v.Email == "" })
		if err != nil || v.Email == "" {
			t.Errorf("%d: %+v, %v", i, v, err)
		}
	}
	if *pages != 1 {
		t.Errorf("the list was read %d times", *pages)
	}
}

func TestRefresh_endsWithItsReaderAlone(t *testing.T) {
	t.Parallel()
	s, c, ids := account(t, 50, sandbox.Options{})
	asked, release := make(chan struct{}), make(chan struct{})
	s.Before("GET", "/v1/customers", func() { close(asked); <-release })
	mustRefresh(t, s, c, ids[:1], 1, asFirst)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.RefreshCustomer(ctx, ids[1], asFirst)
		ended <- err
	}()
	<-asked // The list is being read for the one that gives up.
	var others sync.WaitGroup
	for _, id := range ids[2:6] {
		others.Go(func() {
			if _, err := c.RefreshCustomer(t.Context(), id, asFirst); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, c.shared[routeCustomers], 5)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !errors.Is(err, ErrNotSent) || errors.Is(err, ErrNotFound) {
		t.Errorf("the canceled read ended with %v", err)
	}
	close(release)
	others.Wait()
	if byID, pages := requests(s); byID != 1 || pages != 1 {
		t.Errorf("%d reads by id, %d pages", byID, pages)
	}
}

func TestRefresh_stopsTheListWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	s, c, ids := account(t, 50, sandbox.Options{MaxPageSize: 10})
	mustRefresh(t, s, c, ids[:1], 1, asFirst)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	s.Before("GET", "/v1/customers", func() {
		cancel()
		<-stopped
	})
	if _, err := c.RefreshCustomer(ctx, ids[1], asFirst); !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled read ended with %v", err)
	}
	close(stopped)
	mustRefresh(t, s, c, ids, 10, asFirst)
}

// waitFor returns when so many readers wait.
func waitFor(t *testing.T, s *sharedReads, readers int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		s.mu.Lock()
		waiting := s.waiting
		s.mu.Unlock()
		if waiting == readers {
			return
		}
		<-tick.C
	}
}
