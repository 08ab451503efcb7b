package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Source says where a route is known from.
type Source string

// The sources of a route.
const (
	// SourceShown is a row of the specification's table of endpoints.
	SourceShown Source = "shown"
	// SourceNamed is an operation that the specification names, and whose request and answer it does not show.
	SourceNamed Source = "named"
	// SourceAssumed is not in the specification; integrations report it, or it follows from what is.
	SourceAssumed Source = "assumed"
)

// Route is one endpoint that the sandbox serves.
type Route struct {
	Method string
	// Path begins with /v1; segments in braces are parameters.
	Path   string
	Source Source
}

// Pattern is method and path together; All and Count take them separately.
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// documented are the endpoints of the specification, section Endpoints: its table, and the operations it only names.
var documented = map[Source][]string{
	SourceShown: {
		"POST /v1/customers",
		"PUT /v1/customers/{id}",
		"GET /v1/customers",
		"POST /v1/product-invoices/{id}/check-status",
		"POST /v1/product-invoices/{id}/corrections",
		"POST /v1/orders/{id}/invoices/issue",
		"GET /v1/inbound-product-invoices",
		"POST /v1/inbound-product-invoices/sync",
		"GET /v1/inbound-product-invoices/sync-status",
		"GET /v1/product-invoices/disablements",
		"DELETE /v1/companies/{id}",
		"DELETE /v1/products/{id}",
		"GET /v1/consumer-invoices/{id}/pdf",
		"GET /v1/consumer-invoices/{id}/xml",
		"GET /v1/service-invoices/cities/{cityCode}/payload-example",
	},
	SourceNamed: {
		"POST /v1/orders",
		"POST /v1/service-invoices",
		"POST /v1/product-invoices",
		"POST /v1/consumer-invoices",
		"GET /v1/service-invoices",
		"GET /v1/product-invoices",
		"GET /v1/service-invoices/{id}",
		"GET /v1/product-invoices/{id}",
		"GET /v1/consumer-invoices/{id}",
		"GET /v1/inbound-product-invoices/{id}",
		"GET /v1/inbound-service-invoices/{id}",
		"POST /v1/companies",
		"GET /v1/companies/{id}",
		"GET /v1/companies/{id}/settings",
		"PUT /v1/companies/{id}/settings",
		"POST /v1/webhooks",
		"GET /v1/webhooks/secret",
		"POST /v1/webhooks/secret/rotate",
	},
}

// Routes returns the endpoints of the service, sorted by path and method. Registering an endpoint lists it, so that a
// request to anything else gets 404 or 405.
func (s *Server) Routes() []Route {
	routes := slices.Clone(s.routes)
	slices.SortFunc(routes, func(a, b Route) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return routes
}

// list adds a pattern to the routes.
func (s *Server) list(pattern string) {
	method, path, _ := strings.Cut(pattern, " ")
	s.routes = append(s.routes, Route{method, path, sourceOf(pattern)})
}

// sourceOf is where the route of a pattern is known from.
func sourceOf(pattern string) Source {
	for _, known := range []Source{SourceShown, SourceNamed} {
		if slices.Contains(documented[known], pattern) {
			return known
		}
	}
	return SourceAssumed
}

// RouteOf returns the route that serves a request, as its pattern; empty when there is none.
func (s *Server) RouteOf(method, path string) string {
	_, pattern := s.mux.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}})
	return pattern
}
