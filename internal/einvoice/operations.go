package einvoice

import (
	"errors"
	"fmt"
	"maps"
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
	Differ string // the model with another basis: "consumer assumed"
}

// The words of {model}.
const (
	issuedModels   = "product consumer service"
	receivedModels = "product service"
)

// Operations are all operations of the service that the provider uses.
var Operations = []Operation{
	{"create_customer", "POST", "/v1/customers", "", Shown, ""},
	{"get_customer", "GET", "/v1/customers/{id}", "", Assumed, ""},
	{"list_customers", "GET", "/v1/customers", "", Shown, ""},
	{"update_customer", "PUT", "/v1/customers/{id}", "", Shown, ""},
	{"delete_customer", "DELETE", "/v1/customers/{id}", "", Assumed, ""},

	{"create_product", "POST", "/v1/products", "", Assumed, ""},
	{"get_product", "GET", "/v1/products/{id}", "", Assumed, ""},
	{"list_products", "GET", "/v1/products", "", Assumed, ""},
	{"update_product", "PUT", "/v1/products/{id}", "", Assumed, ""},
	{"delete_product", "DELETE", "/v1/products/{id}", "", Shown, ""},

	{"create_company", "POST", "/v1/companies", "", Named, ""},
	{"get_company", "GET", "/v1/companies/{id}", "", Named, ""},
	{"list_companies", "GET", "/v1/companies", "", Assumed, ""},
	{"update_company", "PUT", "/v1/companies/{id}", "", Assumed, ""},
	{"delete_company", "DELETE", "/v1/companies/{id}", "", Shown, ""},
	{"get_settings", "GET", "/v1/companies/{id}/settings", "", Named, ""},
	{"update_settings", "PUT", "/v1/companies/{id}/settings", "", Named, ""},
	{"create_certificate", "POST", "/v1/companies/{id}/certificates", "", Assumed, ""},
	{"list_certificates", "GET", "/v1/companies/{id}/certificates", "", Assumed, ""},

	{"create_webhook", "POST", "/v1/webhooks", "", Named, ""},
	{"get_webhook", "GET", "/v1/webhooks/{id}", "", Assumed, ""},
	{"list_webhooks", "GET", "/v1/webhooks", "", Assumed, ""},
	{"update_webhook", "PUT", "/v1/webhooks/{id}", "", Assumed, ""},
	{"delete_webhook", "DELETE", "/v1/webhooks/{id}", "", Assumed, ""},
	{"enable_webhook", "PUT", "/v1/webhooks/{id}/enable", "", Assumed, ""},
	{"disable_webhook", "PUT", "/v1/webhooks/{id}/disable", "", Assumed, ""},
	{"get_webhook_secret", "GET", "/v1/webhooks/secret", "", Named, ""},
	{"rotate_webhook_secret", "POST", "/v1/webhooks/secret/rotate", "", Named, ""},

	{"create_order", "POST", "/v1/orders", "", Named, ""},
	{"get_order", "GET", "/v1/orders/{id}", "", Assumed, ""},
	{"list_orders", "GET", "/v1/orders", "", Assumed, ""},
	{"update_order_status", "PUT", "/v1/orders/{id}/status", "", Assumed, ""},
	{"issue_order_invoices", "POST", "/v1/orders/{id}/invoices/issue", "", Shown, ""},

	{"create_invoice", "POST", "/v1/{model}-invoices", issuedModels, Named, ""},
	{"get_invoice", "GET", "/v1/{model}-invoices/{id}", issuedModels, Named, ""},
	{"list_invoices", "GET", "/v1/{model}-invoices", issuedModels, Named, "consumer assumed"},
	{"cancel_invoice", "DELETE", "/v1/{model}-invoices/{id}", issuedModels, Assumed, ""},
	{"issue_invoice", "POST", "/v1/{model}-invoices/{id}/issue", issuedModels, Assumed, ""},
	{"check_invoice_status", "POST", "/v1/{model}-invoices/{id}/check-status", issuedModels, Assumed, "product shown"},
	{"get_invoice_pdf", "GET", "/v1/{model}-invoices/{id}/pdf", issuedModels, Assumed, "consumer shown"},
	{"get_invoice_xml", "GET", "/v1/{model}-invoices/{id}/xml", issuedModels, Assumed, "consumer shown"},
	{"correct_invoice", "POST", "/v1/product-invoices/{id}/corrections", "", Shown, ""},
	{"get_correction_pdf", "GET", "/v1/product-invoices/{id}/corrections/{eventId}/pdf", "", Assumed, ""},
	{"get_correction_xml", "GET", "/v1/product-invoices/{id}/corrections/{eventId}/xml", "", Assumed, ""},
	{"preview_invoice", "GET", "/v1/{model}-invoices/{id}/preview", issuedModels, Assumed, ""}, // Only where it is named.
	{"list_disablements", "GET", "/v1/{model}-invoices/disablements", "product consumer", Assumed, "product shown"},
	{"list_cities", "GET", "/v1/service-invoices/cities", "", Assumed, ""},
	{"get_payload_example", "GET", "/v1/service-invoices/cities/{cityCode}/payload-example", "", Shown, ""},

	{"list_inbound_invoices", "GET", "/v1/inbound-product-invoices", "", Shown, ""},
	{"get_inbound_invoice", "GET", "/v1/inbound-{model}-invoices/{id}", receivedModels, Named, ""},
	{"manifest_inbound_invoice", "POST", "/v1/inbound-product-invoices/{id}/manifest", "", Assumed, ""},
	{"get_inbound_document", "GET", "/v1/inbound-{model}-invoices/{id}/{format}", receivedModels, Assumed, ""},
	{"sync_inbound", "POST", "/v1/inbound-product-invoices/sync", "", Shown, ""},
	{"get_inbound_sync_status", "GET", "/v1/inbound-product-invoices/sync-status", "", Shown, ""},
}

// BasisFor is the basis of the operation for a word of {model}.
func (o Operation) BasisFor(model string) Basis {
	if word, basis, _ := strings.Cut(o.Differ, " "); word == model && model != "" {
		return Basis(basis)
	}
	return o.Basis
}

var impossibleInPath = regexp.MustCompile(`[ ?#%\\]|//|/\.\.`)

var placeholder = regexp.MustCompile(`\{([A-Za-z]+)\}`)

// Placeholders are the placeholders of a path, in their order.
func Placeholders(path string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(path, -1) {
		names = append(names, match[1])
	}
	return names
}

// standardOperations is the table by name.
var standardOperations = func() map[string]Operation {
	table := map[string]Operation{}
	for _, o := range Operations {
		table[o.Name] = o
	}
	return table
}()

// CheckOperation reports what is wrong with an override of an operation: "POST /v1/{model}-invoices/{id}/cancel" has
// a method and a path with the placeholders of the operation. What the interface shows cannot be overridden.
func CheckOperation(name, override string) error {
	o, known := standardOperations[name]
	if !known {
		return fmt.Errorf("%w: %q", ErrUnknownOperation, name)
	}
	if o.Basis == Shown {
		return errors.New("the specification shows this operation, so it cannot be changed: remove the entry")
	}
	method, path, _ := strings.Cut(override, " ")
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
		return fmt.Errorf("it begins with %q, which is none of GET, POST, PUT, PATCH and DELETE", method)
	}
	if !strings.HasPrefix(path, "/v1/") || impossibleInPath.MatchString(path) {
		return fmt.Errorf("the path %q does not begin with /v1/, or has a query or a character that no path has", path)
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

// operationsWith is the table with overrides laid over it. They are expected to be checked.
func operationsWith(table map[string]Operation, overrides map[string]string) map[string]Operation {
	table = maps.Clone(table)
	for name, override := range overrides {
		o := table[name]
		o.Method, o.Path, _ = strings.Cut(override, " ")
		table[name] = o
	}
	return table
}

// operation is a call of an operation, with the values of its placeholders in their order.
// do refuses an empty value, which an unknown model has.
func (c *Client) operation(name string, values ...string) call {
	standard, o := standardOperations[name], c.operations[name]
	value := map[string]string{}
	for i, name := range Placeholders(standard.Path) {
		value[name] = values[i]
	}
	if !slices.Contains(strings.Fields(standard.Models), value["model"]) {
		value["model"] = ""
	}
	if o.BasisFor(value["model"]) == Shown {
		o = standard // An override is for the models that the interface does not show.
	}
	return call{name: name, method: o.Method, path: pathOf(o.Path, value), collection: pathOf(standard.Path, value)[0]}
}

// pathOf returns the elements of a path below /v1, with values in place of placeholders.
// An element with a placeholder whose value is empty is empty.
func pathOf(path string, value map[string]string) []string {
	elements := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	for i, element := range elements {
		for _, name := range Placeholders(element) {
			elements[i] = strings.ReplaceAll(elements[i], "{"+name+"}", value[name])
			if value[name] == "" {
				elements[i] = ""
			}
		}
	}
	return elements
}

// Kind is a kind of objects by the words in the names of its operations.
type Kind struct{ One, Many, model string }

// The kinds of objects of the account.
var (
	KindCustomer = Kind{One: "customer", Many: "customers"}
	KindProduct  = Kind{One: "product", Many: "products"}
	KindCompany  = Kind{One: "company", Many: "companies"}
	KindWebhook  = Kind{One: "webhook", Many: "webhooks"}

	kindOrder = Kind{One: "order", Many: "orders"}
)

func kindInvoice(model string) Kind { return Kind{"invoice", "invoices", modelWords[model]} }

func kindInbound(model string) Kind {
	return Kind{"inbound_invoice", "inbound_invoices", modelWords[model]}
}

// object is a call of an operation whose answer shows the object that it names.
func (c *Client) object(verb string, of Kind, id string) call {
	name, values := verb+"_"+of.One, []string{id}
	if standardOperations[name].Models != "" {
		values = []string{of.model, id}
	}
	req := c.operation(name, values...)
	req.about = id
	return req
}

// list is a call of the list of a kind.
func (c *Client) list(of Kind) call {
	req := c.operation("list_"+of.Many, of.model)
	if of == kindOrder {
		req.query = orderPeriod()
	}
	return req
}
