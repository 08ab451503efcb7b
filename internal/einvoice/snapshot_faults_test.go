package einvoice

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestRefresh_withoutAList(t *testing.T) {
	t.Parallel()
	refused := sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/customers", Status: 403, Times: -1}
	t.Run("reads by id", func(t *testing.T) {
		t.Parallel()
		s, c, ids := account(t, 200, sandbox.Options{})
		s.Inject(refused)
		mustRefresh(t, s, c, ids, 10, asFirst)
		if byID, pages := requests(s); byID != 200 || pages != 1 {
			t.Errorf("%d reads by id, %d attempts at the list", byID, pages)
		}
	})
	for name, readBefore := range map[string]bool{"tells everybody where nothing is read by id": false, "tells so too when there was one before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c, ids := account(t, 40, sandbox.Options{NoReadByID: true})
			if readBefore {
				mustRefresh(t, s, c, ids, 10, asFirst)
				c.written("customers")
			}
			s.Inject(refused)
			_, errs := refreshAll(t.Context(), c, ids, 10, asFirst)
			for _, err := range errs {
				wantKind(t, err, "forbidden")
			}
		})
	}
	t.Run("tries the list again after a minute", func(t *testing.T) {
		t.Parallel()
		now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
		s, c, ids := account(t, 200, sandbox.Options{MaxPageSize: 50})
		c.lists[KindCustomer].now = func() time.Time { return now }
		s.Inject(sandbox.Fault{Kind: sandbox.FaultGarbage, Method: "GET", Path: "/v1/customers", Times: 1})
		mustRefresh(t, s, c, ids[:20], 10, asFirst)
		now = now.Add(listLife + 1)
		mustRefresh(t, s, c, ids[20:], 10, asFirst)
		if byID, pages := requests(s); byID != 20 || pages != 1+4 {
			t.Errorf("%d reads by id, %d pages", byID, pages)
		}
	})
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
		if got := lacksMembers([]byte(tt.Entry), []byte(tt.Object)); got != tt.Want {
			t.Errorf("%s: %s lacks members of %s: %t", tt.Name, tt.Entry, tt.Object, got)
		}
	}
}
