package main

import (
	"context"
	"slices"
	"strings"
	"time"
)

// mayOrder reports whether an order can do no harm, even where autoIssueMode is ignored.
func (c *check) mayOrder() bool { return len(c.production) == 0 && isTest(c.environments["service"]) }

// issuedAlthoughDisabled notes the invoices that an order has issued against its autoIssueMode, to cancel them.
func (c *check) issuedAlthoughDisabled(order object) {
	array, _ := order["invoices"].([]any)
	for _, invoice := range objects(array) {
		c.differs("order_fields", false, "an order whose autoIssueMode is disabled has an invoice")
		model := strings.TrimSuffix(invoice.text("model"), "Invoice")
		if id := invoice.text("id"); id != "" && slices.Contains(issuedModels, model) {
			s := &sale{check: c, model: model}
			s.keepInvoice(id)
		}
	}
}

// order makes an order that issues nothing, and ends it.
func (c *check) order(ctx context.Context) {
	if ctx.Err() != nil || !c.mayOrder() {
		return
	}
	product := object{"name": c.name, "code": c.name, "price": 1.5, "invoiceModel": "serviceInvoice"}
	body := object{
		"transactionId": c.name, "autoIssueMode": "disabled", "amount": 1.5, "date": c.now().Format(time.RFC3339),
		"customer": object{"name": c.name + " á", "email": namePrefix + "a@example.com"},
		"items":    []any{object{"quantity": 1, "price": 1.5, "amount": 1.5, "product": product}},
	}
	a := c.ask(ctx, question{operation: "create_order", body: body})
	if !a.ok() {
		return
	}
	order, found := c.object(a.Body)
	if !found {
		return
	}
	label, canceled := c.keepOrder(order.text("id"))
	if read := c.ask(ctx, question{operation: "get_order", ids: canceled.ids}); read.ok() {
		order, _ = c.object(read.Body)
	}
	var lacks []string
	for _, name := range []string{"transactionId", "autoIssueMode", "amount"} {
		if !same(decodedValue(body[name]), order[name]) {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		c.differs("order_fields", true, "an order does not show "+strings.Join(lacks, ", ")+" as sent")
	} else {
		c.holds("order_fields", "an order shows what was sent")
	}
	c.seeNumber("the amount of an order", order["amount"])
	c.seeOrderInvoices(order, false)
	c.issuedAlthoughDisabled(order)
	listed := c.look(ctx, question{operation: "list_orders"})
	c.filters(ctx, "order_filter", question{operation: "list_orders"}, listed.Body, "transactionId", c.name+"-none")
	if c.isCanceled(ctx, canceled.ids[0], c.ask(ctx, canceled)) {
		c.gone(label)
	}
}
