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
)

var issuedModels = []string{"service", "product", "consumer"}

const (
	reason            = "Nota de teste, emitida por einvoice-check"
	letter            = "Carta de teste, emitida por einvoice-check."
	authorityPatience = 2 * time.Minute
	mostUnread        = 3 // reads of an invoice that fail
)

// The payloads of the one invoice of each model. The authority of a test environment may reject them; the program
// then follows the rejection.
const (
	servicePayload = `{"description":"Teste","federalServiceCode":"17.01","taxationType":"taxationInMunicipality",` +
		`"receiver":{"name":"Teste","federalTaxNumber":"52998224725"},"total":{"invoiceAmount":1}}`
	goods = `"items":[{"cfop":5102,"code":"T-1","description":"Teste","ncm":"19059090","unit":"UN",` +
		`"quantity":1,"unitAmount":1,"totalAmount":1,` +
		`"unitTax":"UN","quantityTax":1,"unitTaxAmount":1,"makeupTotal":true,` +
		`"taxes":{"icms":{"origin":"0","cst":"40"},"pis":{"cst":"07"},"cofins":{"cst":"07"}}}],` +
		`"payments":[{"method":"pix","amount":1}],"total":{"invoiceAmount":1}}`
	consumerPayload = `{"isFinalCustomer":true,"destination":"internal","presenceType":"presence",` + goods
	productPayload  = `{"operationNature":"Venda","isFinalCustomer":true,"destination":"internal",` +
		`"presenceType":"presence",` +
		`"receiver":{"name":"Teste","federalTaxNumber":"52998224725",` +
		`"address":{"street":"Rua das Flores","number":"100","district":"Centro","postalCode":"01310100",` +
		`"city":{"code":3550308}}},` + goods
)

var payloads = map[string]string{"service": servicePayload, "product": productPayload, "consumer": consumerPayload}

// sale is the one invoice of a model.
type sale struct {
	*check

	model  string
	name   string // its integrationId
	id     string
	label  string
	body   object
	asked  bool // for its status while it was queued
	splits bool // a second POST made another invoice
}

func (s *sale) question(operation string, body any) question {
	return question{operation: operation, model: s.model, ids: []string{s.id}, body: body}
}

// invoices issues one invoice of each model whose environment allows it.
func (c *check) invoices(ctx context.Context) {
	for _, model := range issuedModels {
		if ctx.Err() != nil || !isTest(c.environments[model]) {
			continue
		}
		c.say("  one %s invoice, in %s", model, c.environments[model])
		s := &sale{check: c, model: model, name: c.name + "-" + model[:1]}
		_ = json.Unmarshal([]byte(payloads[model]), &s.body)
		s.body["integrationId"] = s.name
		if !s.begin(ctx) {
			continue
		}
		s.settled(ctx, s.follow(ctx))
		s.cancel(ctx)
	}
}

// isTest reports whether nothing that is issued in an environment counts.
func isTest(environment string) bool {
	return environment == "development" || environment == "simulation"
}

// begin makes a draft, looks it up and issues it. Where the service makes none, the invoice is queued.
func (s *sale) begin(ctx context.Context) bool {
	a := s.post(ctx, object{"issue": false})
	isRefused := a.isRefusal()
	if isRefused {
		a = s.post(ctx, nil)
	}
	if !a.ok() || s.id == "" || ctx.Err() != nil || !s.mayIssue() {
		return false
	}
	status := s.status(ctx)
	if status == "enqueued" {
		s.checkQueued(ctx)
	}
	if s.mayIssue() {
		s.lookUp(ctx)
	}
	switch {
	case !s.mayIssue():
	case !isRefused:
		s.seeDraft(ctx, status)
	case s.model == "service":
		s.differs("issue_false_makes_a_draft", false, "a service invoice with issue = false is refused")
	}
	return ctx.Err() == nil && s.mayIssue()
}

// mayIssue reports whether the settings of the model still seem true: no answer has shown production.
func (s *sale) mayIssue() bool { return !slices.Contains(s.production, s.model) }

// post sends the payload, and remembers an invoice that is new.
func (s *sale) post(ctx context.Context, more object) answer {
	body := maps.Clone(s.body)
	maps.Copy(body, more)
	a := s.ask(ctx, question{operation: "create_invoice", model: s.model, body: body})
	if !a.ok() {
		return a
	}
	invoice, found := s.object(a.Body)
	if !found {
		invoice = s.listed(ctx, s.name)
	}
	if id := invoice.text("id"); id != "" && !strings.EqualFold(id, s.id) {
		s.keepInvoice(id)
	}
	s.seeInvoice(invoice)
	return a
}

// keepInvoice remembers an invoice until it is canceled. The first one is followed.
func (s *sale) keepInvoice(id string) {
	other := &sale{check: s.check, model: s.model, id: id, label: s.model + " invoice " + id}
	s.keep(other.label, other.withdraw)
	if s.id == "" {
		s.id, s.label = other.id, other.label
	}
}

// isOpen reports whether a status may change by itself.
func isOpen(status string) bool {
	return slices.Contains([]string{"enqueued", "received", "incontingent", ""}, status)
}

// seeInvoice looks at the dates of a new invoice, and at its environment.
func (s *sale) seeInvoice(invoice object) {
	if s.word(invoice, "environmentType") == "production" && s.mayIssue() {
		s.production = append(s.production, s.model)
		clear(s.environments) // Nothing more is issued.
	}
	s.seeNumber("the amount of an invoice", invoice["amount"])
	s.seeNumber("the number of an invoice", invoice["number"])
	date := invoice.text("issuedOn")
	switch {
	case !localDate.MatchString(date):
	case zoned.MatchString(date):
		s.holds("dates_without_offset_are_local", "dates have an offset")
	default:
		s.seeLocalDate(date)
	}
}

func (s *sale) seeLocalDate(date string) {
	for name, hours := range map[string]int{"São Paulo's time": -3, "UTC": 0} {
		zone := time.FixedZone(name, hours*3600)
		at, err := time.ParseInLocation("2006-01-02T15:04:05", date[:min(len(date), 19)], zone)
		if err != nil || at.Sub(s.now()).Abs() > 30*time.Minute {
			continue
		}
		if hours == 0 {
			s.differs("dates_without_offset_are_local", false, "dates without an offset are in UTC")
		} else {
			s.holds("dates_without_offset_are_local", "dates have no offset and are in "+name)
		}
	}
}

// status reads the invoice.
func (s *sale) status(ctx context.Context) string {
	a := s.ask(ctx, s.question("get_invoice", nil))
	invoice, _ := s.object(a.Body)
	s.seeInvoice(invoice)
	return s.word(invoice, "status")
}

// seeDraft looks at what issue = false made, sends the payload once more, and issues.
func (s *sale) seeDraft(ctx context.Context, status string) {
	if status != "created" {
		seen := fmt.Sprintf("a %s invoice with issue = false is %s", s.model, status)
		if s.model == "service" {
			s.differs("issue_false_makes_a_draft", false, seen)
		} else if s.assumption("issue_false_makes_a_draft").Verdict == holds {
			s.holds("issue_false_makes_a_draft", seen)
		}
		return
	}
	s.holds("issue_false_makes_a_draft", "a "+s.model+" invoice is a draft")
	if s.model == "service" {
		s.body["total"] = object{"invoiceAmount": 2}
	}
	known := len(s.made)
	switch again := s.post(ctx, object{"issue": false}); {
	case again.isRefusal():
		s.differs("post_updates_rejected", false, fmt.Sprintf("a second POST under the integrationId of a draft "+
			"is refused (HTTP %d), and makes no second invoice", again.Status))
		s.operations[question{operation: "create_invoice", model: s.model}.entry()].Verdict = answers
	case !again.ok():
	case len(s.made) > known:
		s.splits = true
		s.differs("post_updates_rejected", true,
			"a second POST under the integrationId of a draft made another "+s.model+" invoice")
		s.drop(ctx, s.made[len(s.made)-1])
	default:
		s.seeMerge(ctx)
	}
	if !s.ask(ctx, s.question("issue_invoice", nil)).ok() && ctx.Err() == nil && s.status(ctx) == "created" {
		s.post(ctx, nil)
	}
}

func (s *sale) seeMerge(ctx context.Context) {
	a := s.look(ctx, s.question("get_invoice", nil))
	invoice, _ := objectIn(a.Body)
	if amount := invoice.text("amount"); s.model == "service" && amount != "" && numeric(amount) != "2" {
		s.differs("post_updates_rejected", false,
			"a second POST under the integrationId of a draft left the draft as it was")
		return
	}
	s.holds("post_updates_rejected", "a second POST under the integrationId of a draft makes no second invoice")
}

// follow reads the invoice until the authority has decided, and returns its status.
func (s *sale) follow(ctx context.Context) (status string) {
	began, unread := s.now(), 0
	s.until(ctx, began, authorityPatience, func() bool {
		if status = s.status(ctx); status == "" {
			unread++
		}
		if status == "enqueued" && !s.asked {
			s.checkQueued(ctx)
		}
		return !isOpen(status) || unread > mostUnread
	})
	s.say("    %s after %s", status, s.now().Sub(began).Round(time.Second))
	return status
}

// checkQueued asks for the status of an invoice that was queued a moment ago.
func (s *sale) checkQueued(ctx context.Context) {
	s.asked = true
	q := s.question("check_invoice_status", nil)
	a := s.look(ctx, q)
	switch {
	case a.isRefusal():
		s.tell(q, answers, a.Status, "")
		s.holds("check_status_400_is_queued", fmt.Sprintf("%d for a queued %s invoice", a.Status, s.model))
	case a.ok():
		s.tell(q, answers, a.Status, "")
		s.differs("check_status_400_is_queued", true, fmt.Sprintf("%d for a queued %s invoice", a.Status, s.model))
	}
}

// listed finds the invoice in its list, filtered by a name unless that is "".
func (s *sale) listed(ctx context.Context, name string) object {
	q := question{operation: "list_invoices", model: s.model, query: url.Values{}}
	if name != "" {
		q.query.Set("integrationId", name)
	}
	return s.search(ctx, q, func(invoice object) bool {
		return invoice.text("integrationId") == s.name || s.id != "" && strings.EqualFold(invoice.text("id"), s.id)
	})
}

// lookUp finds the invoice by its integrationId, as the provider does.
func (s *sale) lookUp(ctx context.Context) {
	entry := question{operation: "list_invoices", model: s.model}
	if !s.canRead(entry) {
		return
	}
	invoice := s.untilListed(ctx, entry, s.model+" invoice", func() object { return s.listed(ctx, s.name) })
	switch {
	case ctx.Err() != nil || !s.canRead(entry):
		return
	case invoice == nil && s.listed(ctx, "") == nil:
		s.unlisted(s.model + " invoice")
	case invoice == nil:
		s.differs("integration_id_filter", false, "the filter does not find a "+s.model+" invoice that the list shows")
	case invoice["integrationId"] == nil:
		s.differs("integration_id_filter", false,
			"the list does not show the integrationId of a "+s.model+" invoice")
	default:
		s.holds("integration_id_filter", "the filter finds a "+s.model+" invoice")
	}
	if s.listed(ctx, s.name[:len(s.name)-1]) != nil {
		s.differs("integration_id_filter", true, "the filter also finds names with the same beginning, or is ignored")
	}
	all := s.look(ctx, entry)
	s.invoiceFilters(ctx, s.model, all.Body)
}
