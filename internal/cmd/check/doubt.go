package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// doubt is a creation whose answer does not show the object: it may be there all the same.
type doubt struct {
	question

	sent time.Time
}

// creations have the list that shows a new object, and the member that has this run's name.
var creations = map[string]struct{ list, member string }{
	"create_customer": {"list_customers", "name"},
	"create_product":  {"list_products", "name"},
	"create_webhook":  {"list_webhooks", "url"},
	"create_order":    {"list_orders", "transactionId"},
	"create_invoice":  {"list_invoices", "integrationId"},
}

// isAmbiguous reports whether the service may have done what it was asked, without an answer that says so.
func (a answer) isAmbiguous() bool { return a.err != nil && errors.Is(a.err, einvoice.ErrAmbiguous) }

// noteDoubt remembers a creation whose answer does not show the object.
func (c *check) noteDoubt(q question, a answer) {
	if creations[q.operation].list == "" {
		return
	}
	c.posted = c.now()
	created, _ := objectIn(a.Body)
	if a.isAmbiguous() || a.ok() && created.text("id") == "" {
		c.doubts = append(c.doubts, doubt{q, c.posted})
	}
}

// settleDoubts looks for the objects of creations in doubt and keeps them for removal. The object of a creation may
// still be there if its list cannot be read or does not show the name.
func (c *check) settleDoubts(ctx context.Context) {
	for _, d := range c.doubts {
		c.say("  looking for the %s: its creation had no usable answer", d)
		known, complete := len(c.made), true
		c.until(ctx, d.sent, lagPatience, func() bool {
			var created []object
			created, complete = c.createdBy(ctx, d)
			for _, of := range created {
				c.keepCreated(d, of)
			}
			return len(c.made) > known || !complete
		})
		if len(c.made) == known && (!complete || ctx.Err() != nil) {
			c.left = append(c.left, d.String()+", which may exist: its creation had no usable answer")
		}
	}
	c.doubts = nil
}

func (d doubt) String() string {
	noun := strings.TrimSpace(d.model + " " + strings.TrimPrefix(d.operation, "create_"))
	member := creations[d.operation].member
	body, _ := d.body.(object)
	return fmt.Sprintf("%s whose %s is %s", noun, member, body.text(member))
}

// createdBy returns the objects of a creation's name, and whether the list shows every object with its name.
func (c *check) createdBy(ctx context.Context, d doubt) (created []object, complete bool) {
	shown := creations[d.operation]
	q := question{operation: shown.list, model: d.model, query: url.Values{}}
	if body, _ := d.body.(object); d.operation == "create_order" || d.operation == "create_invoice" {
		q.query.Set(shown.member, body.text(shown.member))
	}
	named := true
	complete = c.pages(ctx, q, func(items []object) (stop bool) {
		for _, item := range items {
			if _, has := item[shown.member]; !has {
				named = false
			}
			if strings.Contains(strings.ToLower(item.text(shown.member)), c.name) {
				created = append(created, item)
			}
		}
		return false
	})
	return created, complete && named && c.assumption("lists_lag_briefly").Verdict != differs
}

// keepCreated keeps an object that a list shows, to remove it.
func (c *check) keepCreated(d doubt, created object) {
	id := created.text("id")
	if id == "" {
		return
	}
	switch d.operation {
	case "create_invoice":
		(&sale{check: c, model: d.model}).keepInvoice(id)
	case "create_order":
		c.keepOrder(id)
		c.issuedAlthoughDisabled(created)
	default:
		c.keepObject(strings.TrimPrefix(d.operation, "create_"), id)
	}
}

// isAmong reports whether labels has one. Lists may write ids in capitals.
func isAmong(labels []string, label string) bool {
	return slices.ContainsFunc(labels, func(other string) bool { return strings.EqualFold(other, label) })
}

// keepObject keeps a customer, product or webhook, to delete it, unless that was done.
func (c *check) keepObject(noun, id string) {
	label := noun + " " + id
	if id == "" || isAmong(c.removed, label) || isAmong(c.left, label) {
		return
	}
	c.keep(label, func(ctx context.Context) bool {
		a := c.look(ctx, question{operation: "delete_" + noun, ids: []string{id}})
		return c.isRemoved(ctx, noun, id, a)
	})
}

// keepOrder keeps an order, to cancel it.
func (c *check) keepOrder(id string) (label string, cancel question) {
	label = "order " + id + ", transactionId " + c.name + " (nothing is issued of it)"
	cancel = question{operation: "update_order_status", ids: []string{id}, body: object{"status": "canceled"}}
	c.keep(label, func(ctx context.Context) bool { return c.isCanceled(ctx, id, c.lookOtherwise(ctx, cancel)) })
	return label, cancel
}

// isCanceled reports whether an order is canceled, after the answer to its cancellation. Where nothing shows the order,
// the answer counts.
func (c *check) isCanceled(ctx context.Context, id string, a answer) bool {
	if a.err != nil && !a.isAmbiguous() {
		return false
	}
	status := ""
	c.until(ctx, c.now(), lagPatience, func() bool {
		order, _ := objectIn(c.look(ctx, question{operation: "get_order", ids: []string{id}}).Body)
		if order.text("status") == "" {
			list := question{operation: "list_orders", query: queryOf("transactionId", c.name)}
			order = c.search(ctx, list, withID(id))
		}
		c.issuedAlthoughDisabled(order)
		status = c.word(order, "status")
		return status == "canceled" || status == ""
	})
	return status == "canceled" || status == "" && a.ok() && ctx.Err() == nil
}

// hasAnswered reports whether an operation was seen to answer.
func (c *check) hasAnswered(entry string) bool {
	held := c.operations[entry]
	return held != nil && held.Verdict == answers
}
