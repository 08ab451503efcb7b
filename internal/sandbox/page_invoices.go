package sandbox

import (
	"bytes"
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

// invoiceStates are the states of an invoice in the order of its life.
var invoiceStates = []string{
	statusCreated, statusEnqueued, statusReceived, statusInContingent, statusAuthorized,
	statusRejected, statusDenied, statusCanceled, statusRemoved, statusDisabled,
}

// countInvoices counts the invoices of all models in one go, and shows the newest of the chosen ones.
func (p *pageMaker) countInvoices(v *page.View) {
	type listed struct {
		model invoiceModel
		entry *entry
	}
	var wanted []listed
	byState, states, models := map[string]int{}, map[string]int{}, map[string]int{}
	sums := map[string]*big.Rat{}
	for _, m := range invoiceModels {
		sh := p.s.shelf(m.kind)
		for _, id := range slices.Backward(sh.order) {
			doc := sh.byID[id].latest()
			status := text(doc, "status")
			v.All++
			byState[status]++
			if !p.foundInvoice(doc) {
				continue
			}
			ofModel := p.query.Model == "" || p.query.Model == m.name
			ofState := p.query.Status == "" || p.query.Status == status
			if ofModel {
				states[status]++
				if amount, ok := new(big.Rat).SetString(written(doc["amount"])); ok {
					sums[status] = amount.Add(amount, cmp.Or(sums[status], new(big.Rat)))
				}
			}
			if ofState {
				models[m.name]++
			}
			if !ofModel || !ofState {
				continue
			}
			v.Invoices.Total++
			wanted = append(wanted, listed{m, sh.byID[id]})
		}
	}
	slices.SortFunc(wanted, func(a, b listed) int {
		return cmp.Or(b.entry.changed().At.Compare(a.entry.changed().At), b.entry.born-a.entry.born)
	})
	for _, one := range wanted[:min(len(wanted), pageInvoices)] {
		v.Invoices.Shown = append(v.Invoices.Shown, p.invoice(one.model, one.entry))
	}
	v.ByState, v.States = p.counts(byState, ""), p.counts(states, p.query.Status)
	for i, count := range v.States {
		if sum := sums[count.Word]; sum != nil {
			v.States[i].Sum = sum.FloatString(2)
		}
	}
	for _, m := range invoiceModels {
		if models[m.name] > 0 || m.name == p.query.Model {
			v.Models = append(v.Models, page.Count{Word: m.name, N: models[m.name]})
		}
	}
}

// counts are the states that any invoice is in, and the chosen one, in the order of an invoice's life.
func (p *pageMaker) counts(of map[string]int, asked string) []page.Count {
	order := slices.Clone(invoiceStates)
	for _, status := range slices.Sorted(maps.Keys(of)) {
		if !slices.Contains(order, status) {
			order = append(order, status)
		}
	}
	var out []page.Count
	for _, status := range order {
		if of[status] > 0 || status == asked {
			out = append(out, page.Count{Word: p.Text(status), N: of[status]})
		}
	}
	return out
}

func (p *pageMaker) foundInvoice(doc object) bool {
	if p.query.Search == "" {
		return true
	}
	receiver, order, detail := part(doc, "receiver"), part(doc, "order"), part(doc, "processingDetail")
	return p.found(text(doc, "id"), text(doc, "integrationId"), text(doc, "description"),
		numberOf(doc), text(doc, "accessKey"), text(part(doc, "authorization"), "protocol"),
		text(receiver, "name"), text(receiver, "federalTaxNumber"), p.names[text(doc, "_company")],
		text(order, "id"), text(order, "transactionId"), text(detail, "code"), text(detail, "message"))
}

// numberOf is the number of an invoice; empty where it has none.
func numberOf(doc object) string {
	if number := integer(doc, "number"); number != 0 {
		return strconv.FormatInt(number, 10)
	}
	return ""
}

func (p *pageMaker) invoice(m invoiceModel, e *entry) page.Invoice {
	doc := e.latest()
	last := e.changed()
	corrections, _ := doc["_corrections"].([]any)
	order := part(doc, "order")
	state, cure := p.state(text(doc, "status")), page.Advice{}
	if state.Tone == page.Bad {
		cure = advice(m, last)
	}
	return page.Invoice{
		ID: p.Text(text(doc, "id")), Model: m.name, IntegrationID: p.Text(text(doc, "integrationId")),
		Series: p.Text(text(doc, "series")), Number: numberOf(doc), Cure: cure, HasDocument: hasDocuments(doc),
		Description: p.Short(text(doc, "description"), pageLetters), Amount: p.Value("amount", doc["amount"]),
		Company: p.company(text(doc, "_company")), Receiver: p.Text(text(part(doc, "receiver"), "name")),
		State: state, Code: p.Text(last.Code), Message: p.Text(last.Message),
		Order:       p.Text(cmp.Or(text(order, "transactionId"), text(order, "id"))),
		Corrections: len(corrections), Updated: p.moment(last.At),
	}
}

// advice is about the city's own code, which begins the message of a rejection that the service has no code for.
func advice(m invoiceModel, last stateChange) page.Advice {
	explained := fiscal.ExplainRejection(last.Code, m.name)
	if explained.Code == fiscal.CodeGenericRejection {
		inside, _, _ := strings.Cut(last.Message, ":")
		if e := fiscal.ExplainRejection(inside, m.name); e.Kind != fiscal.RejectionUnknown {
			explained = e
		}
	}
	return page.Advice{Text: explained.ActionFor("integration_id")}
}

// detail is one invoice with its requests and deliveries; nil where there is none.
func (p *pageMaker) detail(id string) *page.Detail {
	ref, ok := p.s.findInvoice(id)
	if id == "" || !ok {
		return nil
	}
	e := p.s.shelf(ref.model.kind).byID[ref.id]
	doc := e.latest()
	issued, _ := parseMoment(text(doc, "issuedOn"))
	about := func(d *Delivery) bool {
		return bytes.Contains(d.Body, []byte(ref.id)) && eventInvoice(d.Body).ID == ref.id
	}
	d := &page.Detail{
		Invoice: p.invoice(ref.model, e), TaxNumber: p.Text(text(part(doc, "receiver"), "federalTaxNumber")),
		AccessKey: p.Text(text(doc, "accessKey")), Protocol: p.Text(text(part(doc, "authorization"), "protocol")),
		Environment: p.Value("environmentType", doc["environmentType"]), Issued: p.moment(issued),
		EarlierSteps: max(0, len(e.history)-pageSteps),
		Requests:     p.requests(pageRequests, concerns(ref.model, doc), true),
		Deliveries:   p.deliveries(pageDeliveries, about),
	}
	for _, step := range e.history[d.EarlierSteps:] {
		d.History = append(d.History, page.Step{
			At: p.moment(step.At), State: p.state(step.Status), Code: p.Text(step.Code), Message: p.Text(step.Message),
		})
	}
	return d
}

// orders are the newest, each with its invoices.
func (p *pageMaker) orders() page.Rows[page.Order] {
	date := func(doc object) time.Time {
		at, _ := parseMoment(text(doc, "date"))
		return at
	}
	all := p.s.latest(KindOrders)
	slices.SortStableFunc(all, func(a, b object) int { return date(a).Compare(date(b)) })
	invoices := map[string][]page.Invoice{}
	if len(all) > 0 {
		for _, m := range invoiceModels {
			for _, doc := range p.s.latest(m.kind) {
				if id := text(part(doc, "order"), "id"); id != "" {
					invoices[id] = append(invoices[id], page.Invoice{
						ID: p.Text(text(doc, "id")), Model: m.name,
						Series: p.Text(text(doc, "series")), Number: numberOf(doc), State: p.state(text(doc, "status")),
					})
				}
			}
		}
	}
	wanted := func(doc object) bool {
		customer := part(doc, "customer")
		return p.found(text(doc, "id"), text(doc, "transactionId"),
			text(customer, "name"), text(customer, "federalTaxNumber"))
	}
	return page.Newest(all, pageObjects, wanted, func(doc object) page.Order {
		return page.Order{
			ID: p.Text(text(doc, "id")), TransactionID: p.Text(text(doc, "transactionId")),
			Customer: p.Text(text(part(doc, "customer"), "name")), Amount: p.Value("amount", doc["amount"]),
			Mode: p.Text(text(doc, "autoIssueMode")), State: p.orderState(text(doc, "status")),
			At: p.moment(date(doc)), Invoices: invoices[text(doc, "id")],
		}
	})
}

func (p *pageMaker) orderState(status string) page.State {
	tone := page.Wait
	switch status {
	case orderApproved, "completed":
		tone = page.Good
	case "refused", "chargeback":
		tone = page.Bad
	case orderCanceled, "refunded", "expired", "deleted":
		tone = page.Gone
	}
	return page.State{Word: p.Text(status), Tone: tone}
}

func (p *pageMaker) customers() page.Rows[page.Customer] {
	row := func(doc object) page.Customer {
		return page.Customer{
			ID: p.Text(text(doc, "id")), Name: p.Text(text(doc, "name")), LegalName: p.Text(text(doc, "legalName")),
			TaxNumber: p.Text(text(doc, "federalTaxNumber")), Email: p.Text(text(doc, "email")),
			City: p.Text(cityOf(part(doc, "address"))),
		}
	}
	wanted := func(doc object) bool {
		return p.found(text(doc, "id"), text(doc, "name"), text(doc, "legalName"),
			text(doc, "federalTaxNumber"), text(doc, "email"), cityOf(part(doc, "address")))
	}
	return page.Newest(p.s.latest(KindCustomers), pageObjects, wanted, row)
}

// cityOf is the city of an address with its state, such as "São Paulo/SP".
func cityOf(address object) string {
	city := part(address, "city")
	name := cmp.Or(text(city, "name"), text(address, "cityName"))
	if state := text(city, "state"); name != "" && state != "" {
		return name + "/" + strings.ToUpper(state)
	}
	return name
}

func (p *pageMaker) products() page.Rows[page.Product] {
	wanted := func(doc object) bool { return p.found(text(doc, "id"), text(doc, "name"), text(doc, "code")) }
	return page.Newest(p.s.latest(KindProducts), pageObjects, wanted, func(doc object) page.Product {
		return page.Product{
			ID: p.Text(text(doc, "id")), Name: p.Text(text(doc, "name")), Code: p.Text(text(doc, "code")),
			Price: p.Value("price", doc["price"]), Model: p.Text(text(doc, "invoiceModel")),
		}
	})
}
