package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// TestMain fails when a test leaves a goroutine behind: a server that is closed
// has ended its deliveries, its delays and its stalled answers.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore_whatTestsSeeIsACopy(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	given := object{"name": "A", "address": object{"number": 7}}
	id := c.s.Seed(KindCustomers, given)
	given["address"].(object)["number"] = 8
	doc, ok := c.s.Object(KindCustomers, id)
	if !ok {
		t.Fatal("the seeded customer is not there")
	}
	doc["address"].(object)["number"] = 9
	wantFields(t, c.s.Objects(KindCustomers)[0], object{"address": object{"number": json.Number("7")}})
}

func TestStore_patchMergesObjectsAndSetsNulls(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.Seed(KindCustomers, object{"name": "A", "email": "a@b.example", "address": object{"street": "R", "number": "1"}})
	if !c.s.Patch(KindCustomers, id, object{"email": nil, "address": object{"number": "2"}}) {
		t.Fatal("the customer was not found")
	}
	wantFields(t, c.must("GET", "/customers/"+id, nil), object{
		"name": "A", "email": nil, "address": object{"street": "R", "number": "2"},
	})
	if !c.s.Remove(KindCustomers, id) || c.s.Remove(KindCustomers, id) || c.s.Patch(KindCustomers, id, nil) {
		t.Error("a customer can be removed once, and not patched then")
	}
}

func TestListLag_listsFollowReadsLater(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, ListLag: 10 * time.Second})
	listed := func() string {
		var names []string
		for _, item := range c.items("/customers") {
			names = append(names, item.(object)["name"].(string))
		}
		return strings.Join(names, " ")
	}
	path := "/customers/" + c.must("POST", "/customers", object{"name": "A"})["id"].(string)
	wantFields(t, c.must("GET", path, nil), object{"name": "A"})
	wantSame(t, "", listed(), "the list at once")
	clock.Advance(10 * time.Second)
	wantSame(t, "A", listed(), "the list after the lag")
	c.must("PUT", path, object{"name": "B"})
	clock.Advance(5 * time.Second)
	c.must("PUT", path, object{"name": "C"})
	wantFields(t, c.must("GET", path, nil), object{"name": "C"})
	for _, want := range []string{"A", "B", "C"} {
		wantSame(t, want, listed(), "the list")
		clock.Advance(5 * time.Second)
	}
	c.s.Seed(KindCustomers, object{"name": "old"})
	wantSame(t, "C old", listed(), "the list, with the seeded customer at once,")
}

func TestDeletionLag_listsShowWhatIsDeletedForAWhile(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, DeletionLag: 10 * time.Second})
	path := "/customers/" + c.must("POST", "/customers", object{"name": "A"})["id"].(string)
	c.must("DELETE", path, nil)
	for _, want := range []json.Number{"1", "0"} {
		wantSame(t, want, c.must("GET", "/customers", nil)["totalCount"], "number of customers in the list")
		clock.Advance(10 * time.Second)
	}
	for _, method := range []string{"GET", "DELETE"} {
		wantSame(t, http.StatusNotFound, c.do(method, path, nil).status, "%s after the deletion: status", method)
	}
	wantSame(t, 0, len(c.s.Objects(KindCustomers)), "number of customers that are left")
}

func TestPages_haveTheEnvelopeOfTheSpecification(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{MaxPageSize: 50})
	for i := range 45 {
		c.s.Seed(KindCustomers, object{"name": fmt.Sprint(i)})
	}
	tests := rows.Read[[]struct {
		Name, Query        string
		First              string
		Items, Pages, Size int
		Next               bool
	}](t, "pages_have_the_envelope_of_the_specification.json")
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			doc := c.in(t).must("GET", "/customers"+tt.Query, nil)
			items := doc["items"].([]any)
			delete(doc, "items")
			want := object{
				"totalCount": json.Number("45"), "pageCount": json.Number(fmt.Sprint(tt.Pages)),
				"pageSize": json.Number(fmt.Sprint(tt.Size)), "hasNext": tt.Next,
			}
			wantSame(t, want, doc, "envelope")
			if len(items) != tt.Items || tt.Items > 0 && items[0].(object)["name"] != tt.First {
				t.Errorf("%d items from %v, want %d from %s", len(items), items, tt.Items, tt.First)
			}
		})
	}
	for _, query := range []string{"?page=0", "?page=x", "?pageSize=-1", "?page=99999999999"} {
		wantStatus(t, c.do("GET", "/customers"+query, nil), http.StatusBadRequest)
	}
}

func TestTimers_fireByTheManualClockInTheirOrder(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	s := New(Options{Clock: clock})
	t.Cleanup(s.Close)
	var fired []string
	note := func(name string) func() {
		return func() { fired = append(fired, name+" "+s.clock.Now().Format(time.TimeOnly)) }
	}
	s.locked(func() {
		s.after(3*time.Second, note("late"))
		s.after(time.Second, func() {
			note("early")()
			s.after(time.Second, note("chained"))
			s.after(0, note("soon"))
		})
		s.after(time.Hour, note("never"))
		s.after(0, note("at once"))
		fired = append(fired, "end of the step")
	})
	clock.Advance(5 * time.Second)
	want := []string{
		"end of the step", "at once 12:00:00", "early 12:00:01", "soon 12:00:01", "chained 12:00:02", "late 12:00:03",
	}
	wantSame(t, want, fired, "timers")
	s.Close()
	clock.Advance(2 * time.Hour)
	wantSame(t, len(want), len(fired), "number of timers that fired, none after Close")
}

func TestClose_endsBackgroundWork(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	ended := false
	s.locked(func() {
		s.background(func(ctx context.Context) {
			<-ctx.Done()
			ended = true
		})
	})
	s.Close()
	if !ended {
		t.Error("Close left background work behind")
	}
	s.locked(func() { s.background(func(context.Context) { t.Error("work began after Close") }) })
	s.Settle()
}
