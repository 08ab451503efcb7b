package einvoice

import (
	"errors"
	"strings"
	"testing"
)

func TestOperations_areATable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range Operations {
		if seen[o.Name] {
			t.Errorf("%s is there twice", o.Name)
		}
		seen[o.Name] = true
		if route := o.Method + " " + o.Path; seen[route] {
			t.Errorf("%s is there twice", route)
		} else {
			seen[route] = true
		}
		if strings.Contains(o.Path, "{model}") != (o.Models != "") {
			t.Errorf("%s: the path is %s and its models are %q", o.Name, o.Path, o.Models)
		}
		if model, basis, _ := strings.Cut(o.Differ, " "); o.Differ != "" && (!strings.Contains(o.Models, model) || o.BasisFor(model) != Basis(basis)) {
			t.Errorf("%s differs for %q", o.Name, o.Differ)
		}
		if o.Basis != Shown {
			if err := CheckOperation(o.Name, o.Method+" "+o.Path); err != nil {
				t.Errorf("its own path as an override: %v", err)
			}
		}
	}
}

func TestCheckOperation_refusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, override, want string }{
		{"cancel_invoice", "POST /v1/{model}-invoices/{id}/cancel", ""},
		{"get_inbound_document", "GET /v1/inbound/{format}/{model}/{id}", ""},
		{"list_orders", "GET /v1/sales", ""},
		{"create_customer", "POST /v1/clients", "the specification shows this operation"},
		{"cancel_invoices", "POST /v1/x", "no such operation"},
		{"cancel_invoice", "REMOVE /v1/{model}-invoices/{id}", "none of GET"},
		{"cancel_invoice", "post /v1/{model}-invoices/{id}", "none of GET"},
		{"cancel_invoice", "POST", "does not begin with /v1/"},
		{"cancel_invoice", "POST {model}-invoices/{id}", "does not begin with /v1/"},
		{"cancel_invoice", "POST https://example.com/v1/{model}/{id}", "does not begin with /v1/"},
		{"cancel_invoice", "POST /v1/{model}-invoices/{id}?now=1", "does not begin with /v1/"},
		{"cancel_invoice", "POST /v1/{model}-invoices", "lacks the placeholder {id}"},
		{"cancel_invoice", "POST /v1/{model}/{id}/{reason}", "has the placeholder {reason}"},
		{"cancel_invoice", "POST /v1/{model}/{id}/{id}", "twice"},
		{"cancel_invoice", "POST /v1/{model}/{id}/{", "brace"},
		{"cancel_invoice", "POST /v1/{model}/../{id}", "begin with /v1/"},
		{"list_orders", "GET /v1//orders", "begin with /v1/"},
	} {
		err := CheckOperation(tt.name, tt.override)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s = %q is refused with %v, want %q", tt.name, tt.override, err, tt.want)
		}
	}
	if err := CheckOperation("x", ""); !errors.Is(err, ErrUnknownOperation) {
		t.Errorf("an unknown name is refused with %v", err)
	}
}

func TestOperation_fillsThePathOfTheTableOrOfAnOverride(t *testing.T) {
	t.Parallel()
	standard := &Client{operations: standardOperations}
	other := &Client{operations: operationsWith(standardOperations, map[string]string{
		"cancel_invoice":       "POST /v1/{model}-invoices/{id}/cancel",
		"check_invoice_status": "PUT /v1/check/{id}/{model}",
	})}
	for _, tt := range []struct {
		client *Client
		name   string
		values []string
		want   string
	}{
		{standard, "cancel_invoice", []string{"product", "1"}, "DELETE /v1/product-invoices/1"},
		{other, "cancel_invoice", []string{"service", "1"}, "POST /v1/service-invoices/1/cancel"},
		{other, "check_invoice_status", []string{"consumer", "a/b"}, "PUT /v1/check/a%2Fb/consumer"},
		{other, "check_invoice_status", []string{"product", "1"}, "POST /v1/product-invoices/1/check-status"}, // It is shown.
		{standard, "get_customer", []string{"{model}"}, "GET /v1/customers/%7Bmodel%7D"},
		{standard, "get_customer", []string{""}, "GET /v1/customers/"},
		{standard, "get_inbound_invoice", []string{"consumer", "1"}, "GET /v1//1"}, // do refuses it.
	} {
		req := tt.client.operation(tt.name, tt.values...)
		if got := req.method + " " + req.route(); got != tt.want {
			t.Errorf("%s %q is %s, want %s", tt.name, tt.values, got, tt.want)
		}
	}
}
