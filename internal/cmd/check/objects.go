package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

const (
	lagUsual  = 10 * time.Second
	lookEvery = 2 * time.Second
	mostPages = 30
)

var (
	lagAllowed  = einvoice.Patience(0)        // what the provider waits for by default
	lagPatience = lagAllowed + 10*time.Second // how long a list is looked at
)

// noun is a kind of object that can be made, changed and removed at will.
type noun struct {
	one, many  string
	body       object   // of the creation
	change     object   // of an update that leaves a field out
	leftOut    string   // that field, "" for none
	fields     string   // the assumption about its fields, "" for none
	documented []string // the members of a read
}

func (c *check) customer() noun {
	return noun{
		one: "customer", many: "customers",
		body: object{
			"name": c.name + " á", "legalName": c.name,
			"federalTaxNumber": randomCPF(), "email": namePrefix + "a@example.com",
		},
		change:  object{"name": c.name + " b", "legalName": c.name},
		leftOut: "email",
		documented: []string{
			"id", "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber",
			"email", "phone", "mobilePhone", "address",
		},
	}
}

func (c *check) product() noun {
	return noun{
		one: "product", many: "products",
		body:    object{"name": c.name, "code": c.name, "price": 1.5, "invoiceModel": "serviceInvoice"},
		change:  object{"name": c.name + " b", "code": c.name, "invoiceModel": "serviceInvoice"},
		leftOut: "price", fields: "product_fields",
		documented: []string{"id", "name", "code", "price", "invoiceModel"},
	}
}

// webhook has an address that no name server knows: nothing is ever delivered to it.
func (c *check) webhook() noun {
	address := "https://" + c.name + ".invalid/"
	return noun{
		one: "webhook", many: "webhooks",
		body:   object{"event": "invoice.rejected", "url": address},
		change: object{"event": "invoice.rejected", "url": address + "b"},
		fields: "webhook_fields", documented: []string{"id", "event", "url", "enabled"},
	}
}

// objects makes one object of each kind, changes it and removes it.
func (c *check) objects(ctx context.Context) {
	nouns, ids := []noun{c.customer(), c.product(), c.webhook()}, map[string]string{}
	for _, n := range nouns {
		id := c.make(ctx, n)
		if ids[n.one] = id; id != "" && ctx.Err() == nil {
			c.lag(ctx, n, id)
			c.stored(ctx, n, id)
			c.switchWebhook(ctx, n, id)
			c.update(ctx, n, id)
		}
	}
	c.order(ctx) // It uses the customer and the product.
	for _, n := range nouns {
		if id := ids[n.one]; id != "" && ctx.Err() == nil {
			c.remove(ctx, n, id)
			c.twice(ctx, n)
		}
	}
	c.tooLong(ctx)
}

// make creates an object and returns its id, "" where there is none.
func (c *check) make(ctx context.Context, n noun) string {
	a := c.ask(ctx, question{operation: "create_" + n.one, body: n.body})
	if !a.ok() {
		return ""
	}
	of, isAnswered := c.object(a.Body)
	if !isAnswered {
		of = c.find(ctx, n, n.isIt)
	}
	id := of.text("id")
	if id == "" {
		return ""
	}
	if !isAnswered {
		c.holds("success_false_is_a_refusal", "create_"+n.one+" answers without the object")
	}
	c.keepObject(n.one, id)
	c.seeID(of)
	return id
}

// isIt reports whether an object of a list is the one that this run made.
func (n noun) isIt(of object) bool {
	for _, name := range []string{"name", "url"} {
		if made := text(n.body[name]); made != "" {
			return strings.EqualFold(of.text(name), made)
		}
	}
	return false
}

func (c *check) seeID(of object) {
	switch id := of.text("id"); {
	case uuidish.MatchString(id):
		c.holds("ids_ignore_case", "ids are UUIDs")
	case decimal.MatchString(id):
		c.holds("ids_ignore_case", "ids are numbers")
	default:
		c.differs("ids_ignore_case", true, "ids are neither UUIDs nor numbers")
	}
	kind := "number"
	if _, isText := of["id"].(string); isText {
		kind = "string"
	}
	c.holds("scalars_vary", "an id is a "+kind)
}

// read reads an object by its id, else from the list.
func (c *check) read(ctx context.Context, n noun, id string) object {
	if a := c.ask(ctx, question{operation: "get_" + n.one, ids: []string{id}}); a.ok() {
		of, _ := c.object(a.Body)
		return of
	}
	return c.find(ctx, n, withID(id))
}

// stored compares what is read with what was sent.
func (c *check) stored(ctx context.Context, n noun, id string) {
	of := c.read(ctx, n, id)
	if of == nil {
		return
	}
	var lacks, otherwise []string
	for _, name := range slices.Sorted(maps.Keys(n.body)) {
		switch sent := decodedValue(n.body[name]); {
		case isEmpty(of[name]):
			lacks = append(lacks, name)
		case !same(sent, of[name]):
			otherwise = append(otherwise, n.one+"."+name)
		}
	}
	switch {
	case len(otherwise) > 0:
		c.differs("values_are_kept", true, "stored differently: "+strings.Join(otherwise, ", "))
	case len(lacks) > 0:
		c.differs("values_are_kept", true, "a read of a "+n.one+" lacks "+strings.Join(lacks, ", "))
	default:
		c.holds("values_are_kept", "a "+n.one+" is")
	}
	if n.one == "webhook" && of["enabled"] == nil {
		lacks = append(lacks, "enabled")
	}
	switch {
	case n.fields == "":
	case len(lacks) > 0:
		c.differs(n.fields, true, "a read lacks "+strings.Join(lacks, ", "))
	default:
		c.holds(n.fields, "a read shows all of them")
	}
	c.seeNumber("the price of a product", of["price"])
	if n.one == "customer" {
		c.seeAddress(of)
	}
}

func (c *check) seeAddress(customer object) {
	switch address, has := customer["address"]; {
	case !has:
		c.holds("empty_is_null", "an address that is not set is left out")
	case address == nil:
		c.holds("empty_is_null", "an address that is not set is null")
	case isEmpty(address):
		c.differs("empty_is_null", true, "an address that is not set has members without values")
	}
}

// update leaves a field out, and then sends back the whole object with its undocumented fields.
func (c *check) update(ctx context.Context, n noun, id string) {
	before := c.read(ctx, n, id)
	put := question{operation: "update_" + n.one, ids: []string{id}, body: n.change}
	a := c.ask(ctx, put)
	if a.isRefusal() && before != nil && n.leftOut != "" {
		c.differs("update_merges_or_replaces", true, "an update of a "+n.one+" without "+n.leftOut+" is refused")
		c.operations["update_"+n.one].Verdict = answers
	}
	if !a.ok() || before == nil {
		return
	}
	c.noteAnswer("update_"+n.one, a)
	after := c.read(ctx, n, id)
	switch {
	case after == nil:
	case !(noun{body: n.change}).isIt(after):
		if c.hasAnswered("get_" + n.one) { // A list may lag.
			c.differs("update_merges_or_replaces", false, "an update of a "+n.one+" changes nothing")
		}
		return
	case isEmpty(before[n.leftOut]): // Nothing was left out.
	case isEmpty(after[n.leftOut]):
		c.holds("update_merges_or_replaces", "an update of a "+n.one+" replaces")
	case same(before[n.leftOut], after[n.leftOut]):
		c.holds("update_merges_or_replaces", "an update of a "+n.one+" merges")
	default:
		c.differs("update_merges_or_replaces", false, n.leftOut+" of a "+n.one+" got another value")
	}
	c.unknownFields(ctx, n, id, before)
}

func (c *check) unknownFields(ctx context.Context, n noun, id string, before object) {
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !slices.Contains(n.documented, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 || !c.look(ctx, question{operation: "update_" + n.one, ids: []string{id}, body: before}).ok() {
		return
	}
	after := c.read(ctx, n, id)
	if after == nil {
		return
	}
	for _, name := range unknown {
		date := localDate.MatchString(after.text(name)) // One that moves by itself.
		if !date && !same(before[name], after[name]) {
			c.differs("update_keeps_unknown_fields", false, n.one+"."+name+" is not kept")
			return
		}
	}
	c.holds("update_keeps_unknown_fields", "a "+n.one+" keeps "+strings.Join(unknown, ", "))
}

// switchWebhook disables and enables a webhook.
func (c *check) switchWebhook(ctx context.Context, n noun, id string) {
	for _, verb := range []string{"disable", "enable"} {
		if n.one != "webhook" || !c.ask(ctx, question{operation: verb + "_webhook", ids: []string{id}}).ok() {
			continue
		}
		enabled, told := c.read(ctx, n, id)["enabled"].(bool)
		if told && enabled != (verb == "enable") && c.hasAnswered("get_webhook") { // A list may lag.
			c.differs("webhook_fields", false, verb+"_webhook changes nothing")
		}
	}
}

// remove deletes an object, and notes whether a confirmed deletion is done.
func (c *check) remove(ctx context.Context, n noun, id string) {
	a := c.ask(ctx, question{operation: "delete_" + n.one, ids: []string{id}})
	label, isGone := n.one+" "+id, c.isRemoved(ctx, n.one, id, a)
	if isGone {
		c.gone(label)
	}
	switch {
	case !a.ok() || ctx.Err() != nil:
		return
	case !isGone:
		c.differs("success_false_is_a_refusal", false, "a "+n.one+" still exists after a confirmed deletion")
	case !isAmong(c.lingering, label):
		c.holds("success_false_is_a_refusal", "confirmed deletions are done")
	}
	c.noteAnswer("delete_"+n.one, a)
}

// isRemoved reports whether an object is gone, after the answer to its deletion. Lists may still show it for a while.
func (c *check) isRemoved(ctx context.Context, noun, id string, a answer) bool {
	if !a.ok() && !a.isNone() && !a.isAmbiguous() {
		return false
	}
	deletion, label := c.operations["delete_"+noun], noun+" "+id
	isMissing := a.isNone() && deletion != nil && deletion.Verdict == missing
	isConfirmed := a.ok() || a.isNone() && c.hasAnswered("delete_"+noun)
	isShown, isTold := false, false
	c.until(ctx, c.now(), lagPatience, func() bool {
		isShown, isTold = c.shows(ctx, noun, id)
		return !isShown || isMissing
	})
	switch {
	case isTold && !isShown:
	case !isConfirmed || isShown && c.hasAnswered("get_"+noun) || ctx.Err() != nil:
		return false
	default:
		c.lingering = append(c.lingering, label)
	}
	c.removed = append(c.removed, label)
	return true
}

// shows reports whether the service shows an object by its id, else in its list. isTold is false if neither tells.
func (c *check) shows(ctx context.Context, noun, id string) (is, isTold bool) {
	if c.hasAnswered("get_" + noun) {
		a := c.look(ctx, question{operation: "get_" + noun, ids: []string{id}})
		return a.ok(), a.ok() || a.isNone()
	}
	list := question{operation: "list_" + noun + "s", query: url.Values{}}
	isComplete := c.pages(ctx, list, func(items []object) (stop bool) {
		is = slices.ContainsFunc(items, withID(id))
		return is
	})
	return is, is || isComplete
}

// seeNumber notes whether a number comes as one or as text.
func (c *check) seeNumber(what string, v any) {
	switch v.(type) {
	case json.Number:
		c.holds("scalars_vary", what+" is a number")
	case string:
		c.holds("scalars_vary", what+" is a number in a string, which the provider reads")
	}
}

// twice makes two objects with the same key, if the service can delete them.
func (c *check) twice(ctx context.Context, n noun) {
	if ctx.Err() != nil || !c.hasAnswered("delete_"+n.one) {
		return
	}
	first := c.make(ctx, n)
	if first == "" {
		return
	}
	a := c.look(ctx, question{operation: "create_" + n.one, body: n.body})
	second, _ := objectIn(a.Body)
	switch {
	case a.isRefusal():
		c.differs("keys_may_repeat", true, fmt.Sprintf("a second %s is refused (HTTP %d)", n.one, a.Status))
	case !a.ok() || second.text("id") == "":
	case strings.EqualFold(second.text("id"), first):
		c.differs("keys_may_repeat", false, "a second "+n.one+" is answered with the first one")
	default:
		c.keepObject(n.one, second.text("id"))
		c.holds("keys_may_repeat", "a second "+n.one+" is made")
	}
}

// tooLong sends a name that the interface does not allow, to see an error.
func (c *check) tooLong(ctx context.Context) {
	a := c.look(ctx, question{operation: "create_customer", body: object{"name": c.name + strings.Repeat("x", 81)}})
	switch {
	case a.ok():
		of, _ := objectIn(a.Body)
		c.keepObject("customer", of.text("id"))
	case !a.isRefusal():
	case len(a.err.Messages) > 0:
		c.holds("errors_have_messages", "a message with a 400")
	case a.err.Text != "":
		c.holds("errors_have_messages", "a text with a 400")
	default:
		c.differs("errors_have_messages", true, "the provider finds no message in a 400")
	}
}

// sweep removes the objects of this name that an order, or a request whose answer was lost, has made.
func (c *check) sweep(ctx context.Context) {
	for _, creation := range []string{"create_customer", "create_product", "create_webhook"} {
		d := doubt{question: question{operation: creation}}
		created, _ := c.createdBy(ctx, d)
		for _, of := range created {
			c.keepCreated(d, of)
		}
	}
}
