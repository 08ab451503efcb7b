package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestRoutes_everyAnswerHasItsOwnTraceID(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	a, b := c.do("GET", "/customers", nil).header.Get("x-trace-id"), c.do("GET", "/nothing", nil).header.Get("x-trace-id")
	if a == "" || b == "" || a == b {
		t.Errorf("trace ids are %q and %q", a, b)
	}
}

func TestBody_isAcceptedAsTheSpecificationLists(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for contentType, status := range rows.Read[map[string]int](t, "body_is_accepted_as_the_specification_lists.json") {
		g := c.send("POST", "/customers", `{"name":"A"}`, http.Header{"Content-Type": {contentType}})
		wantSame(t, status, g.status, "%q: status", contentType)
	}
}

func TestErrorForm_everyOneCarriesItsMessage(t *testing.T) {
	t.Parallel()
	const message = "The Name field is required."
	for form, want := range map[ErrorForm]string{
		FormErrors:  `{"errors":[{"message":"` + message + `","path":null}]}`,
		FormMessage: `{"message":"` + message + `"}`,
		FormTitle:   `{"status":400,"title":"` + message + `"}`,
		FormHTML:    "<!DOCTYPE html>\n<html><head><title>400 Bad Request</title></head><body><h2>" + message + "</h2></body></html>\n",
		FormEmpty:   "",
	} {
		c := newClient(t, Options{})
		c.s.Inject(Fault{Kind: FaultStatus, Status: http.StatusBadRequest, Form: form, Message: message})
		g := c.do("POST", "/customers", object{})
		wantStatus(t, g, http.StatusBadRequest)
		wantSame(t, want, g.raw, "form %d", form)
	}
	wantTexts(t, newClient(t, Options{}).do("GET", "/customers/none", nil).raw, `"path":null`)
}

func TestFields_readWhatTheServiceConverts(t *testing.T) {
	t.Parallel()
	reads := map[string]func(*fields) any{
		"decimal": func(f *fields) any { return f.number("x") }, "integer": func(f *fields) any { return f.integer("x") },
		"text": func(f *fields) any { return f.text("x", 5) }, "enum": func(f *fields) any { return f.enum("x", "pix", "billetBank") },
		"flag": func(f *fields) any { return f.flag("x") }, "children": func(f *fields) any { return len(f.children("x")) },
		"moment":    func(f *fields) any { m, _ := f.moment("x"); return local(m) },
		"no moment": func(f *fields) any { _, ok := f.moment("x"); return ok },
	}
	for _, tt := range rows.Read[[]struct {
		Name, Reads string
		Value, Want json.RawMessage
		Refused     bool
	}](t, "fields_read_what_the_service_converts.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			s := New(Options{})
			t.Cleanup(s.Close)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			expect.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			in := (&call{s: s, r: r, body: fmt.Appendf(nil, `{"x":%s}`, tt.Value), pattern: "POST /"}).input()
			if in.unreadable != nil {
				t.Fatal(in.unreadable)
			}
			wantSame(t, string(tt.Want), string(mustJSON(reads[tt.Reads](in))), "read")
			if err := in.check(); (err != nil) != tt.Refused {
				t.Errorf("check = %v, want a refusal: %t", err, tt.Refused)
			}
		})
	}
}

func TestRoutes_areThoseOfTheSpecificationAndMore(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	t.Cleanup(s.Close)
	got := map[Source][]string{}
	for _, r := range s.Routes() {
		got[r.Source] = append(got[r.Source], r.Pattern())
	}
	for _, source := range []Source{SourceShown, SourceNamed} {
		want := slices.Sorted(slices.Values(documented[source]))
		slices.Sort(got[source])
		wantSame(t, want, got[source], "%s routes", source)
	}
	if len(got[SourceAssumed]) == 0 {
		t.Error("no route is assumed, though reads by id of customers are not in the specification")
	}
}

// Companies and webhooks are for the main company's key alone, and nothing is found under an id that nobody gave.
func TestRoutes_eachIsServedToWhomItIsFor(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	branch := c.as(newBranch(c))
	for _, r := range c.s.Routes() {
		path := strings.NewReplacer("{id}", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "{cityCode}", "3550308").Replace(r.Path)
		wantSame(t, r.Pattern(), c.s.RouteOf(r.Method, path), "the route of %s %s", r.Method, path)
		g := c.do(r.Method, strings.TrimPrefix(path, "/v1"), nil)
		if g.status == http.StatusMethodNotAllowed || strings.HasPrefix(g.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s is answered %d %s, want a handler", r.Pattern(), g.status, g.raw)
		}
		if strings.Contains(r.Path, "{id}") && g.status != http.StatusNotFound {
			t.Errorf("%s of an unknown id is answered %d %s", r.Pattern(), g.status, g.raw)
		}
		isManagement := strings.HasPrefix(path, "/v1/companies") || strings.HasPrefix(path, "/v1/webhooks")
		g = branch.do(r.Method, strings.TrimPrefix(path, "/v1"), object{})
		wantSame(t, isManagement, g.status == http.StatusForbidden, "%s is refused to another company", r.Pattern())
	}
	wantSame(t, "", c.s.RouteOf("GET", "/v1/nothing"), "the route of a path that is none of the service's")
}

// absent leaves out of documents what the service shows later or elsewhere than in a plain read of a new one.
var absent = map[string][]string{
	// The amount comes with the payload, and a service invoice's own fields with that model.
	"Invoice": {"rps", "batchNumber"},
}

func TestShapes_areAnsweredWithEveryFieldOfTheirs(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		KindCustomers: "/customers/", KindCompanies: "/companies/", KindProducts: "/products/", KindWebhooks: "/webhooks/", KindOrders: "/orders/",
		KindProductInvoices: "/product-invoices/", KindInbound: "/inbound-product-invoices/",
	}
	c := newClient(t, Options{})
	for _, shape := range Shapes() {
		path, ok := paths[shape.Kind]
		if !ok {
			continue
		}
		doc := c.must("GET", path+c.s.Seed(shape.Kind, object{}), nil)
		for _, field := range slices.Concat(shape.Fields, shape.Assumed) {
			top, _, _ := strings.Cut(field, ".")
			if _, answered := doc[top]; !answered && !slices.Contains(absent[shape.Name], top) {
				t.Errorf("%s: a read lacks %s", shape.Name, top)
			}
		}
	}
}

func TestExamples_canBeIssuedAsTheyAre(t *testing.T) {
	t.Parallel()
	c, counted := newIssuer(t, Options{}), 0
	for _, m := range municipalities {
		for _, example := range c.must("GET", "/service-invoices/cities/"+m.code+"/payload-example", nil)["examples"].([]any) {
			if sent := example.(object); sent["cstPisCofins"] != nil {
				t.Errorf("an example of %s has cstPisCofins", m.name)
			} else if sent["rpsNumber"] != nil && sent["batchNumber"] != nil {
				counted++
			}
			doc := c.must("POST", "/service-invoices", example)
			wantSame(t, "authorized", statusOf(t, c, service, doc["id"].(string)), "status of the example of %s", m.name)
		}
	}
	wantSame(t, true, counted > 0, "whether some examples count RPS and batch")
	wantSame(t, []UnknownField(nil), c.s.UnknownFields(), "unknown fields")
}

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
	if !c.s.Remove(KindCustomers, id) || c.s.Remove(KindCustomers, id) || c.s.Patch(KindCustomers, id, nil) {
		t.Error("a customer can be removed once, and not patched then")
	}
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
		rows.Case(t, tt.Name, func(t *testing.T) {
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
