package einvoice

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Basis says what an operation rests on.
type Basis string

// The bases of an operation.
const (
	Shown   Basis = "shown"   // the interface gives its method, path and shape
	Named   Basis = "named"   // the interface gives its method and path
	Assumed Basis = "assumed" // integrations report it
)

// Operation is one thing that the service can be asked to do. The table of all of
// them is the only place that knows methods and paths.
type Operation struct {
	Name   string
	Method string
	Path   string // with placeholders: /v1/{model}-invoices/{id}
	Models string // the words that {model} stands for, separated by spaces
	Basis  Basis
	Differ string // the models with another basis: "consumer assumed"

	Evidence string // the section of the interface, or who reports it
}

// The words of {model}.
const (
	issuedModels   = "product consumer service"
	receivedModels = "product service"
)

const (
	sectionEndpoints = "Endpoints"
	othersNamed      = "Endpoints, other operations"
	vendor           = "the vendor's texts"
	integrations     = "several integrations"
)

// Operations are all operations of the service that the provider uses.
var Operations = []Operation{
	{Name: "create_customer", Method: "POST", Path: "/v1/customers", Basis: Shown, Evidence: sectionEndpoints},
	{Name: "get_customer", Method: "GET", Path: "/v1/customers/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "list_customers", Method: "GET", Path: "/v1/customers", Basis: Shown, Evidence: sectionEndpoints},
	{Name: "update_customer", Method: "PUT", Path: "/v1/customers/{id}", Basis: Shown, Evidence: sectionEndpoints},
	{Name: "delete_customer", Method: "DELETE", Path: "/v1/customers/{id}", Basis: Assumed, Evidence: vendor},

	{Name: "create_product", Method: "POST", Path: "/v1/products", Basis: Assumed, Evidence: vendor},
	{Name: "get_product", Method: "GET", Path: "/v1/products/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "list_products", Method: "GET", Path: "/v1/products", Basis: Assumed, Evidence: vendor},
	{Name: "update_product", Method: "PUT", Path: "/v1/products/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "delete_product", Method: "DELETE", Path: "/v1/products/{id}", Basis: Shown, Evidence: sectionEndpoints},

	{Name: "create_company", Method: "POST", Path: "/v1/companies", Basis: Named, Evidence: othersNamed},
	{Name: "get_company", Method: "GET", Path: "/v1/companies/{id}", Basis: Named, Evidence: othersNamed},
	{Name: "list_companies", Method: "GET", Path: "/v1/companies", Basis: Assumed, Evidence: vendor},
	{Name: "update_company", Method: "PUT", Path: "/v1/companies/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "delete_company", Method: "DELETE", Path: "/v1/companies/{id}", Basis: Shown, Evidence: sectionEndpoints},
	{Name: "get_settings", Method: "GET", Path: "/v1/companies/{id}/settings", Basis: Named, Evidence: othersNamed},
	{Name: "update_settings", Method: "PUT", Path: "/v1/companies/{id}/settings", Basis: Named, Evidence: othersNamed},
	{Name: "create_certificate", Method: "POST", Path: "/v1/companies/{id}/certificates", Basis: Assumed, Evidence: integrations},
	{Name: "list_certificates", Method: "GET", Path: "/v1/companies/{id}/certificates", Basis: Assumed, Evidence: integrations},

	{Name: "create_webhook", Method: "POST", Path: "/v1/webhooks", Basis: Named, Evidence: othersNamed},
	{Name: "get_webhook", Method: "GET", Path: "/v1/webhooks/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "list_webhooks", Method: "GET", Path: "/v1/webhooks", Basis: Assumed, Evidence: vendor},
	{Name: "update_webhook", Method: "PUT", Path: "/v1/webhooks/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "delete_webhook", Method: "DELETE", Path: "/v1/webhooks/{id}", Basis: Assumed, Evidence: vendor},
	{Name: "enable_webhook", Method: "PUT", Path: "/v1/webhooks/{id}/enable", Basis: Assumed, Evidence: vendor},
	{Name: "disable_webhook", Method: "PUT", Path: "/v1/webhooks/{id}/disable", Basis: Assumed, Evidence: vendor},
	{Name: "get_webhook_secret", Method: "GET", Path: "/v1/webhooks/secret", Basis: Named, Evidence: othersNamed},
	{Name: "rotate_webhook_secret", Method: "POST", Path: "/v1/webhooks/secret/rotate", Basis: Named, Evidence: othersNamed},

	{Name: "create_order", Method: "POST", Path: "/v1/orders", Basis: Named, Evidence: othersNamed},
	{Name: "get_order", Method: "GET", Path: "/v1/orders/{id}", Basis: Assumed, Evidence: "one integration"},
	{Name: "list_orders", Method: "GET", Path: "/v1/orders", Basis: Assumed, Evidence: vendor},
	{Name: "update_order_status", Method: "PUT", Path: "/v1/orders/{id}/status", Basis: Assumed, Evidence: vendor},
	{Name: "issue_order_invoices", Method: "POST", Path: "/v1/orders/{id}/invoices/issue", Basis: Shown, Evidence: sectionEndpoints},

	{Name: "create_invoice", Method: "POST", Path: "/v1/{model}-invoices", Models: issuedModels, Basis: Named, Evidence: othersNamed},
	{Name: "get_invoice", Method: "GET", Path: "/v1/{model}-invoices/{id}", Models: issuedModels, Basis: Named, Evidence: othersNamed},
	{
		Name: "list_invoices", Method: "GET", Path: "/v1/{model}-invoices", Models: issuedModels,
		Basis: Named, Differ: "consumer assumed", Evidence: othersNamed + "; consumer: one integration",
	},
	{Name: "cancel_invoice", Method: "DELETE", Path: "/v1/{model}-invoices/{id}", Models: issuedModels, Basis: Assumed, Evidence: vendor},
	{Name: "issue_invoice", Method: "POST", Path: "/v1/{model}-invoices/{id}/issue", Models: issuedModels, Basis: Assumed, Evidence: vendor},
	{
		Name: "check_invoice_status", Method: "POST", Path: "/v1/{model}-invoices/{id}/check-status", Models: issuedModels,
		Basis: Assumed, Differ: "product shown", Evidence: sectionEndpoints + "; others: " + vendor,
	},
	{
		Name: "get_invoice_pdf", Method: "GET", Path: "/v1/{model}-invoices/{id}/pdf", Models: issuedModels,
		Basis: Assumed, Differ: "consumer shown", Evidence: sectionEndpoints + "; others: " + vendor,
	},
	{
		Name: "get_invoice_xml", Method: "GET", Path: "/v1/{model}-invoices/{id}/xml", Models: issuedModels,
		Basis: Assumed, Differ: "consumer shown", Evidence: sectionEndpoints + "; others: " + vendor,
	},
	{Name: "correct_invoice", Method: "POST", Path: "/v1/product-invoices/{id}/corrections", Basis: Shown, Evidence: sectionEndpoints},
	{
		Name: "list_disablements", Method: "GET", Path: "/v1/{model}-invoices/disablements", Models: "product consumer",
		Basis: Assumed, Differ: "product shown", Evidence: sectionEndpoints + "; consumer: by analogy",
	},
	{Name: "list_cities", Method: "GET", Path: "/v1/service-invoices/cities", Basis: Assumed, Evidence: "Rules per endpoint, Payload example by city"},
	{
		Name: "get_payload_example", Method: "GET", Path: "/v1/service-invoices/cities/{cityCode}/payload-example",
		Basis: Shown, Evidence: sectionEndpoints,
	},

	{Name: "list_inbound_invoices", Method: "GET", Path: "/v1/inbound-product-invoices", Basis: Shown, Evidence: sectionEndpoints},
	{
		Name: "get_inbound_invoice", Method: "GET", Path: "/v1/inbound-{model}-invoices/{id}", Models: receivedModels,
		Basis: Named, Evidence: othersNamed,
	},
	{
		Name: "manifest_inbound_invoice", Method: "POST", Path: "/v1/inbound-product-invoices/{id}/manifest",
		Basis: Assumed, Evidence: "What the service does, rule 10",
	},
	{
		Name: "get_inbound_document", Method: "GET", Path: "/v1/inbound-{model}-invoices/{id}/{format}", Models: receivedModels,
		Basis: Assumed, Evidence: "What the service does, rule 10",
	},
	{Name: "sync_inbound", Method: "POST", Path: "/v1/inbound-product-invoices/sync", Basis: Shown, Evidence: sectionEndpoints},
	{
		Name: "get_inbound_sync_status", Method: "GET", Path: "/v1/inbound-product-invoices/sync-status",
		Basis: Shown, Evidence: sectionEndpoints,
	},
}

// BasisFor is the basis of the operation for a word of {model}.
func (o Operation) BasisFor(model string) Basis {
	if word, basis, _ := strings.Cut(o.Differ, " "); word == model && model != "" {
		return Basis(basis)
	}
	return o.Basis
}

var placeholder = regexp.MustCompile(`\{([A-Za-z]+)\}`)

// Placeholders are the placeholders of a path, in their order.
func Placeholders(path string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(path, -1) {
		names = append(names, match[1])
	}
	return names
}

// operationsByName is the table, with the overrides of a configuration laid over it.
type operationsByName map[string]Operation

var standardOperations = func() operationsByName {
	table := operationsByName{}
	for _, o := range Operations {
		table[o.Name] = o
	}
	return table
}()

// CheckOperation reports what is wrong with an override of an operation: "POST
// /v1/{model}-invoices/{id}/cancel" has a method and a path with the placeholders of
// the operation. What the interface shows cannot be overridden.
func CheckOperation(name, override string) error {
	o, known := standardOperations[name]
	if !known {
		return fmt.Errorf("%w: %q", ErrUnknownOperation, name)
	}
	if o.Basis == Shown {
		return errors.New("the interface shows this operation, so that it cannot be otherwise")
	}
	method, path, _ := strings.Cut(override, " ")
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method) {
		return fmt.Errorf("it begins with %q, which is none of GET, POST, PUT, PATCH and DELETE", method)
	}
	if !strings.HasPrefix(path, "/v1/") || strings.ContainsAny(path, " ?#%\\") || strings.Contains(path, "//") || strings.Contains(path, "/..") {
		return fmt.Errorf("the path %q does not begin with /v1/, or has a query or a character that a path cannot have", path)
	}
	want, got := Placeholders(o.Path), Placeholders(path)
	slices.Sort(want)
	slices.Sort(got)
	switch missing, unknown := absent(want, got), absent(got, want); {
	case len(missing) > 0:
		return fmt.Errorf("the path lacks the placeholder {%s}", missing[0])
	case len(unknown) > 0:
		return fmt.Errorf("the path has the placeholder {%s}, which this operation does not have", unknown[0])
	case len(got) != len(want) || strings.ContainsAny(placeholder.ReplaceAllString(path, ""), "{}"):
		return errors.New("the path has a placeholder twice, or a brace too many")
	}
	return nil
}

// absent returns what is in want and not in got.
func absent(want, got []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(got, name) })
}

// ErrUnknownOperation is of an override whose name is no operation's.
var ErrUnknownOperation = errors.New("there is no such operation")

// OperationNames are the names of all operations that can be overridden.
func OperationNames() []string {
	var names []string
	for _, o := range Operations {
		if o.Basis != Shown {
			names = append(names, o.Name)
		}
	}
	return names
}

// StandardOperation is the method and the path of an operation that is not overridden.
func StandardOperation(name string) string {
	o := standardOperations[name]
	return o.Method + " " + o.Path
}

// OperationPlaceholders are the placeholders that the path of an operation has.
func OperationPlaceholders(name string) []string { return Placeholders(standardOperations[name].Path) }

// overridden lays overrides over the table. They are expected to be checked.
func (t operationsByName) overridden(by map[string]string) operationsByName {
	table := maps.Clone(t)
	for name, override := range by {
		o := table[name]
		o.Method, o.Path, _ = strings.Cut(override, " ")
		table[name] = o
	}
	return table
}

// operation is a call of an operation, with the values of its placeholders in the
// order of the table. do refuses one with an empty value, which an unknown model has.
func (c *Client) operation(name string, values ...string) call {
	standard, o := standardOperations[name], c.operations[name]
	names := Placeholders(standard.Path)
	value := map[string]string{}
	for i, name := range names {
		value[name] = values[i]
	}
	if !slices.Contains(strings.Fields(standard.Models), value["model"]) {
		value["model"] = ""
	}
	if o.BasisFor(value["model"]) == Shown {
		o = standard // An override is for the models that the interface does not show.
	}
	return call{method: o.Method, path: pathOf(o.Path, value), collection: pathOf(standard.Path, value)[0]}
}

// pathOf are the elements of a path below /v1, with values in place of placeholders.
// An element with a placeholder whose value is empty is empty.
func pathOf(path string, value map[string]string) []string {
	elements := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	for i, element := range elements {
		for _, name := range Placeholders(element) {
			if value[name] == "" {
				elements[i] = ""
			}
		}
		elements[i] = placeholder.ReplaceAllStringFunc(elements[i], func(name string) string { return value[strings.Trim(name, "{}")] })
	}
	return elements
}

// collections are the words in the names of the operations on the objects of a
// collection, by its path.
var collections = map[string]struct{ one, many, model string }{
	routeCustomers: {one: "customer", many: "customers"},
	routeProducts:  {one: "product", many: "products"},
	routeCompanies: {one: "company", many: "companies"},
	routeWebhooks:  {one: "webhook", many: "webhooks"},
	routeOrders:    {one: "order", many: "orders"},

	invoiceRoutes[ModelProduct]:  {one: "invoice", many: "invoices", model: "product"},
	invoiceRoutes[ModelConsumer]: {one: "invoice", many: "invoices", model: "consumer"},
	invoiceRoutes[ModelService]:  {one: "invoice", many: "invoices", model: "service"},

	inboundRoutes[ModelProduct]: {one: "inbound_invoice", many: "inbound_invoices", model: "product"},
	inboundRoutes[ModelService]: {one: "inbound_invoice", model: "service"},
}

// object is a call of an operation on one object of a collection: get, update, delete.
func (c *Client) object(verb, route, id string) call {
	of := collections[route]
	values := []string{id}
	if of.model != "" {
		values = []string{of.model, id}
	}
	req := c.operation(verb+"_"+of.one, values...)
	req.about = id
	return req
}

// list is a call of the list of a collection.
func (c *Client) list(route string) call {
	return c.operation("list_"+collections[route].many, collections[route].model)
}
