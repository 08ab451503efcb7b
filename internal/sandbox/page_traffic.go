package sandbox

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

// wantedDelivery reports whether a delivery matches the search.
func (p *pageMaker) wantedDelivery(d *Delivery) bool {
	if p.query.Search == "" {
		return true
	}
	about := eventInvoice(d.Body)
	return p.found(d.Event, p.Address(d.URL), d.State, about.ID, about.IntegrationID)
}

func (p *pageMaker) deliveries(most int, wanted func(*Delivery) bool) page.Rows[page.Delivery] {
	tones := map[string]string{
		DeliverySucceeded: page.Good, DeliveryFailed: page.Bad,
		DeliverySkipped: page.Gone, DeliveryPending: page.Wait,
	}
	places := make([]int, len(p.s.deliveries))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return p.s.deliveries[a].lastTry().Compare(p.s.deliveries[b].lastTry())
	})
	return page.Newest(places, most, func(i int) bool { return wanted(p.s.deliveries[i]) }, func(i int) page.Delivery {
		d := p.s.deliveries[i]
		about := eventInvoice(d.Body)
		v := page.Delivery{
			Row: "delivery-" + strconv.Itoa(i+1), Event: p.Text(d.Event), URL: p.Address(d.URL),
			Invoice: p.Text(cmp.Or(about.IntegrationID, about.ID)),
			State:   d.State, Tone: tones[d.State], Tries: len(d.Attempts),
		}
		if _, shown := p.s.findInvoice(about.ID); shown {
			v.InvoiceID = p.Text(about.ID)
		}
		if len(d.Attempts) == 0 {
			return v
		}
		last := d.Attempts[len(d.Attempts)-1]
		v.At, v.Status = p.moment(last.At), last.Status
		if last.Status == 0 {
			v.Failure = p.Failure(last.Err)
		}
		v.Signature, v.SignTone = p.s.checkSignature(last.Header, d.Body, p.now)
		return v
	})
}

// lastTry is the time of the last attempt; zero if there was none.
func (d *Delivery) lastTry() (at time.Time) {
	if len(d.Attempts) > 0 {
		at = d.Attempts[len(d.Attempts)-1].At
	}
	return at
}

// eventInvoice identifies the invoice of an event.
func eventInvoice(body []byte) (about struct{ ID, IntegrationID string }) {
	var event struct {
		Data struct {
			ID            string `json:"id"`
			IntegrationID string `json:"integrationId"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &event) == nil {
		about.ID, about.IntegrationID = event.Data.ID, event.Data.IntegrationID
	}
	return about
}

// wantedRequest reports whether a request matches the search and the filter.
func (p *pageMaker) wantedRequest(r *Request) bool {
	switch p.query.Requests {
	case page.RequestsRefused:
		if r.Status/100 == 2 {
			return false
		}
	case page.RequestsChanges:
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return false
		}
	}
	return p.query.Search == "" || p.found(r.Method+" "+r.Path, strconv.Itoa(r.Status), p.names[r.Key])
}

// concerns returns a filter for the requests about an invoice: those with its id or its order's in their path, and
// those of its company that name its integrationId or its order's transactionId.
func concerns(m invoiceModel, doc object) func(*Request) bool {
	order := part(doc, "order")
	id, orderID := text(doc, "id"), text(order, "id")
	integration, transaction := text(doc, "integrationId"), text(order, "transactionId")
	named := func(of, name string) bool { return name != "" && of == name }
	return func(r *Request) bool {
		parts := strings.Split(strings.ToLower(r.Path), "/")
		if slices.Contains(parts, id) || orderID != "" && slices.Contains(parts, orderID) {
			return true
		}
		if r.Key != text(doc, "_company") {
			return false
		}
		if named(r.Query.Get("integrationId"), integration) || named(r.Query.Get("transactionId"), transaction) {
			return r.Path == m.path || r.Path == "/v1/orders"
		}
		if r.Method != http.MethodPost || r.Path != m.path && r.Path != "/v1/orders" {
			return false
		}
		var sent struct {
			IntegrationID string `json:"integrationId"`
			TransactionID string `json:"transactionId"`
		}
		return json.Unmarshal(r.Body, &sent) == nil &&
			(named(sent.IntegrationID, integration) || named(sent.TransactionID, transaction))
	}
}

// requests are the newest wanted requests, with their bodies if bodies is set.
func (p *pageMaker) requests(most int, wanted func(*Request) bool, bodies bool) page.Rows[page.Request] {
	p.s.watch.Lock()
	defer p.s.watch.Unlock()
	places := make([]int, len(p.s.log))
	for i := range places {
		places[i] = i
	}
	return page.Newest(places, most, func(i int) bool { return wanted(p.s.log[i]) }, func(i int) page.Request {
		r := p.s.log[i]
		v := page.Request{
			Row: "request-" + strconv.Itoa(i), At: p.moment(r.At),
			Method: p.Text(r.Method), Path: p.Short(r.Path, pageLetters), Status: r.Status, Tone: page.Bad,
		}
		if bodies {
			v.Body = p.Short(indented(shownBody(p.Redactor, r.Body)), pageBody)
		}
		if r.Key != "" {
			v.Whose = p.company(r.Key)
		}
		switch r.Status / 100 {
		case 0:
			v.Tone = page.Wait
		case 2:
			v.Tone = page.Good
		}
		return v
	})
}
