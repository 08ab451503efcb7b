package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

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
