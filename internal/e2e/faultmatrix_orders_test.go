package e2e_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// orderWanted is an order with more arguments.
func orderWanted(arguments ...string) string {
	return `
transaction_id = "sale-1"
amount         = 100
customer       = { name = "Maria", federal_tax_number = "52998224725" }
items = [{
  quantity = 4
  price    = 25
  amount   = 100
  product  = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" }
}]
` + strings.Join(arguments, "\n")
}

// orderKind completes a kind with what all requests about orders share. The
// other order is the same but for its identity.
func orderKind(k requestKind) requestKind {
	k.group, k.resource, k.objects = "Orders", "einvoice_order", sandbox.KindOrders
	k.bystander = map[string]any{
		"transactionId": "sale-2", "amount": 100, "autoIssueMode": "disabled", "status": "created", "customer": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725"},
	}
	k.task, k.standing = "sale-1|NFS-e", "order stays"
	k.settled = func(c *cell) error {
		invoices := c.service.Invoices("")
		if len(invoices) != 1 || invoices[0]["status"] != "authorized" {
			return fmt.Errorf("the invoices are %v, want one that is authorized", invoices)
		}
		return nil
	}
	return k
}

// cancelOrderKind completes a kind with what all requests of a destroy that cancels
// share.
func cancelOrderKind(k requestKind) requestKind {
	k.given, k.destroy, k.done, k.keeps = orderWanted(reasoned, patiently), true, orderCanceled, true
	k = orderKind(k)
	k.standing = "Destroying cancels"
	k.settled = func(c *cell) error {
		if !orderCanceled(c) {
			return fmt.Errorf("the invoices are %v, want one that is canceled", c.service.Invoices(""))
		}
		return nil
	}
	return k
}

// orderCanceled tells whether the invoice of the order is canceled.
func orderCanceled(c *cell) bool {
	invoices := c.service.Invoices("")
	return len(invoices) == 1 && invoices[0]["status"] == "canceled"
}

// ordered tells whether the order has an invoice that is issued.
func ordered(c *cell) bool {
	for _, invoice := range c.service.Invoices("") {
		if invoice["status"] != "created" {
			return true
		}
	}
	return false
}

const (
	afterPayment = `auto_issue_mode = "afterPayment"`
	onDemand     = `auto_issue_mode = "disabled"`
)

// An answer that does not show what was done is followed by a read.
var shownByRead = map[string]meeting{faultText: meetHarmless, faultWrongType: meetHarmless, faultOther: meetHarmless}

var orderKinds = []requestKind{
	orderKind(requestKind{
		name: "look up", method: "GET", path: "/v1/orders", list: true, wanted: orderWanted(patiently), done: exists,
		instead: map[string]meeting{faultOther: meetHarmless},
	}),
	orderKind(requestKind{
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/orders", before: 1, wanted: orderWanted(patiently), done: exists,
	}),
	orderKind(requestKind{
		name: "follow an invoice", method: "GET", path: "/v1/service-invoices/{id}", before: 2, options: sandbox.Options{AuthorizeAfter: time.Second},
		wanted: orderWanted(shortly), done: exists, acted: true,
		// The first read of an invoice may fail in any way: it is read again.
		instead: everyFault(meetRepeated, map[string]meeting{faultRefused: meetReported}),
	}),
	orderKind(requestKind{
		name: "read", method: "GET", path: "/v1/orders/{id}", given: orderWanted(), planOnly: true, instead: listed,
	}),
	orderKind(requestKind{
		name: "read before changing", method: "GET", path: "/v1/orders/{id}", skip: 1, before: 1, instead: listed,
		given: orderWanted(afterPayment), wanted: orderWanted(afterPayment, `status = "approved"`), done: ordered,
	}),
	orderKind(requestKind{
		name: "change the status", class: classCreation, method: "PUT", path: "/v1/orders/{id}/status", before: 2, instead: shownByRead,
		given: orderWanted(afterPayment), wanted: orderWanted(afterPayment, patiently, `status = "approved"`), done: ordered,
	}),
	orderKind(requestKind{
		name: "issue", class: classCreation, method: "POST", path: "/v1/orders/{id}/invoices/issue", before: 3, instead: shownByRead,
		given: orderWanted(onDemand), wanted: orderWanted(onDemand, patiently, `issue_invoices = true`), done: ordered,
	}),
	cancelOrderKind(requestKind{name: "read before canceling", method: "GET", path: "/v1/orders/{id}", skip: 1, before: 1, instead: listed}),
	cancelOrderKind(requestKind{name: "read an invoice before canceling", method: "GET", path: "/v1/service-invoices/{id}", before: 2}),
	cancelOrderKind(requestKind{
		name: "cancel an invoice", class: classCreation, method: "DELETE", path: "/v1/service-invoices/{id}", before: 3, instead: shownByRead,
	}),
}
