package einvoice

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
	for _, tt := range rows.Read[[]struct{ Name, Override, Want string }](t, "check_operation_refuses_what_cannot_be_sent.json") {
		err := CheckOperation(tt.Name, tt.Override)
		if tt.Want == "" && err != nil || tt.Want != "" && (err == nil || !strings.Contains(err.Error(), tt.Want)) {
			t.Errorf("%s = %q is refused with %v, want %q", tt.Name, tt.Override, err, tt.Want)
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
