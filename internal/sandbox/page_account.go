package sandbox

import (
	"cmp"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// view takes down what the page shows. It changes nothing, and its cost depends little on how much there is.
func (s *Server) view() pageView {
	v := pageView{ReloadTime: 10}
	requests, total := s.newestRequests(pageRequests)

	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pageMaker{s: s, now: s.clock.Now(), names: map[string]string{}}
	p.curtain = s.curtain()
	for _, company := range s.latest(KindCompanies) {
		p.names[text(company, "id")] = p.show(text(company, "name"))
	}
	v.Now = p.moment(p.now)
	v.Limit = p.limit()
	v.Companies = p.companies()
	v.Invoices = p.invoices()
	v.Summary = p.summary()
	v.Secrets = p.secrets()
	v.Webhooks = p.webhooks()
	v.Deliveries = p.deliveries()
	v.Requests = p.requests(requests, total)
	return v
}

// pageMaker makes the parts of a view, under the server's lock.
type pageMaker struct {
	*curtain
	s     *Server
	now   time.Time
	names map[string]string
}

func (p *pageMaker) moment(at time.Time) moment { return moment{at, p.now} }

// latest are the documents of a kind as they are now, themselves and not copies: for reading only.
func (s *Server) latest(kind string) []object {
	sh := s.shelf(kind)
	docs := make([]object, len(sh.order))
	for i, id := range sh.order {
		docs[i] = sh.byID[id].latest()
	}
	return docs
}

func (p *pageMaker) limit() limitView {
	o := p.s.opts
	v := limitView{On: o.RateLimit, PerMinute: o.RateLimitPerMinute, PerSecond: max(0, o.RateLimitPerSecond), Window: windowName(o.RateLimitWindow)}
	companies := map[string]object{}
	for _, company := range p.s.latest(KindCompanies) {
		companies[text(company, "_apiKey")] = company
	}
	var meters []meterView
	for key, w := range p.s.windows {
		inMinute, inSecond, reset := w.seen(p.now, o)
		meter := meterView{Key: "none of the account", Whose: "nobody", InMinute: inMinute, InSecond: inSecond, Reset: p.moment(reset)}
		if company, ok := companies[key]; ok {
			meter.Key, meter.Whose = maskedKey(key), p.show(text(company, "name"))
		}
		if inMinute == 0 {
			meter.Reset = moment{}
		}
		meters = append(meters, meter)
	}
	slices.SortFunc(meters, func(a, b meterView) int {
		return cmp.Or(a.InMinute-b.InMinute, cmp.Compare(b.Whose, a.Whose), cmp.Compare(b.Key, a.Key))
	})
	v.Keys = newest(meters, pageCompanies, func(m meterView) meterView { return m })
	return v
}

// companies shows the main company first, then the newest.
func (p *pageMaker) companies() rows[companyView] {
	certificates := map[string][]certificateView{}
	for _, doc := range slices.Backward(p.s.latest(KindCertificates)) {
		expires, _ := parseMoment(text(doc, "expirationAt"))
		of := text(doc, "_companyId")
		certificates[of] = append(certificates[of], certificateView{
			Subject: p.show(text(doc, "subject")), Expires: p.moment(expires), Active: truth(doc, "isActive"),
		})
	}
	all := p.s.latest(KindCompanies)
	main := slices.IndexFunc(all, func(company object) bool { return text(company, "id") == p.s.ownerID })
	if main >= 0 {
		all = append(slices.Delete(slices.Clone(all), main, main+1), all[main])
	}
	return newest(all, pageCompanies, func(company object) companyView {
		id := text(company, "id")
		return companyView{
			ID: p.show(id), Name: p.show(text(company, "name")), LegalName: p.show(text(company, "legalName")),
			TaxNumber: p.show(text(company, "federalTaxNumber")), Key: maskedKey(text(company, "_apiKey")), Main: id == p.s.ownerID,
			Certificates: certificates[id], Settings: p.settings(id),
		}
	})
}

func (p *pageMaker) settings(companyID string) []settingsView {
	doc := p.s.settingsOf(companyID)
	var out []settingsView
	for _, shape := range settingsBlocks {
		block := doc[shape.name]
		v := settingsView{Block: shape.name}
		for _, name := range block.names(shape) {
			value := block.values[name]
			if secretSetting(shape.name, name) {
				value = hidden(value)
			}
			v.Fields = append(v.Fields, settingView{p.show(name), p.value(name, value)})
		}
		out = append(out, v)
	}
	return out
}

// invoices are the newest of all models together.
func (p *pageMaker) invoices() rows[invoiceView] {
	type listed struct {
		model invoiceModel
		entry *entry
	}
	var candidates []listed
	total := 0
	for _, m := range invoiceModels {
		sh := p.s.shelf(m.kind)
		total += len(sh.order)
		for _, id := range sh.order[max(0, len(sh.order)-pageInvoices):] {
			candidates = append(candidates, listed{m, sh.byID[id]})
		}
	}
	slices.SortFunc(candidates, func(a, b listed) int { return a.entry.born - b.entry.born })
	out := newest(candidates, pageInvoices, func(l listed) invoiceView { return p.invoice(l.model, l.entry) })
	out.Total = total
	return out
}

func (p *pageMaker) invoice(m invoiceModel, e *entry) invoiceView {
	doc := e.latest()
	v := invoiceView{
		ID: p.show(text(doc, "id")), Model: m.name, IntegrationID: p.show(text(doc, "integrationId")),
		Description: shorten(p.show(text(doc, "description")), pageLetters), Amount: p.value("amount", doc["amount"]),
		Company: p.company(text(doc, "_company")), State: p.state(text(doc, "status")), Updated: p.moment(e.history[len(e.history)-1].At),
	}
	if number := integer(doc, "number"); number != 0 {
		v.Number = p.show(strings.TrimPrefix(text(doc, "series")+"/", "/") + strconv.FormatInt(number, 10))
	}
	corrections, _ := doc["_corrections"].([]any)
	v.Corrections = len(corrections)
	v.EarlierSteps = max(0, len(e.history)-pageSteps)
	for _, step := range e.history[v.EarlierSteps:] {
		v.History = append(v.History, stepView{
			At: p.moment(step.At), State: p.state(step.Status), Code: p.show(step.Code), Message: p.show(step.Message),
		})
	}
	return v
}

// summary counts the invoices by state, for the top of the page and for those who hear it.
func (p *pageMaker) summary() string {
	counts := map[string]int{}
	total := 0
	for _, m := range invoiceModels {
		sh := p.s.shelf(m.kind)
		total += len(sh.order)
		for _, e := range sh.byID {
			counts[text(e.latest(), "status")]++
		}
	}
	if total == 0 {
		return "No invoice yet."
	}
	var words []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[status], p.show(status)))
	}
	noun := "invoices"
	if total == 1 {
		noun = "invoice"
	}
	return fmt.Sprintf("%d %s: %s.", total, noun, strings.Join(words, ", "))
}

func (p *pageMaker) webhooks() rows[webhookView] {
	return newest(p.s.latest(KindWebhooks), pageWebhooks, func(doc object) webhookView {
		return webhookView{p.show(text(doc, "id")), p.show(text(doc, "event")), p.address(text(doc, "url")), truth(doc, "enabled")}
	})
}

func (p *pageMaker) requests(newestOf []numberedRequest, total int) rows[requestView] {
	out := newest(newestOf, pageRequests, func(r numberedRequest) requestView {
		v := requestView{
			Row: "request-" + strconv.Itoa(r.number), At: p.moment(r.At), Method: p.show(r.Method), Path: shorten(p.show(r.Path), pageLetters),
			Status: r.Status, Whose: "no known key", Tone: toneOf(r.Status),
		}
		if r.Key != "" {
			v.Whose = p.company(r.Key)
		}
		return v
	})
	out.Total = total
	return out
}

// numberedRequest is a recorded request without header and body, and how many were before it.
type numberedRequest struct {
	Request
	number int
}

// newestRequests returns the last requests to the service in the order of their arrival, and how many there are in all.
// Those to the controls are not among them.
func (s *Server) newestRequests(most int) (last []numberedRequest, total int) {
	s.watch.Lock()
	defer s.watch.Unlock()
	for i, r := range slices.Backward(s.log) {
		if strings.HasPrefix(r.Path, "/_sandbox/") {
			continue
		}
		total++
		if len(last) < most {
			last = append(last, numberedRequest{Request{Method: r.Method, Path: r.Path, Key: r.Key, Status: r.Status, At: r.At}, i})
		}
	}
	slices.Reverse(last)
	return last, total
}

// company is the name of a company, or its id where it is gone.
func (p *pageMaker) company(id string) string {
	if name, ok := p.names[id]; ok {
		return name
	}
	return p.show(id)
}

func (p *pageMaker) state(status string) stateView {
	tone := "wait"
	switch status {
	case statusAuthorized:
		tone = "good"
	case statusRejected, statusDenied:
		tone = "bad"
	case statusCanceled, statusRemoved, statusDisabled:
		tone = "gone"
	}
	return stateView{p.show(status), tone}
}

// secrets tells of the webhook secrets without showing them.
func (p *pageMaker) secrets() secretsView {
	v := secretsView{InForce: secretPrefix + "****"}
	if p.s.signing.previous != "" {
		v.Previous, v.Until = v.InForce, p.moment(p.s.signing.previousUntil)
		v.StillSigns = p.now.Before(p.s.signing.previousUntil)
	}
	return v
}

func (p *pageMaker) deliveries() rows[deliveryView] {
	number := len(p.s.deliveries)
	return newest(p.s.deliveries, pageDeliveries, func(d *Delivery) deliveryView {
		v := deliveryView{
			Row: "delivery-" + strconv.Itoa(number), Event: p.show(d.Event), URL: p.address(d.URL),
			Invoice: p.about(d.Body), State: d.State, Tone: "wait", Tries: len(d.Attempts),
		}
		number--
		switch d.State {
		case DeliverySucceeded:
			v.Tone = "good"
		case DeliveryFailed:
			v.Tone = "bad"
		case DeliverySkipped:
			v.Tone, v.Answer = "gone", "not sent: the address is not on loopback"
		}
		if len(d.Attempts) == 0 {
			return v
		}
		last := d.Attempts[len(d.Attempts)-1]
		v.At = p.moment(last.At)
		v.Answer = "answered " + strconv.Itoa(last.Status)
		if last.Status == 0 {
			v.Answer = p.failure(last.Err)
		}
		v.LastSign, v.SignTone = p.s.checkSignature(last.Header, d.Body, p.now)
		return v
	})
}

// about is the integration id, or else the id, of what an event tells of.
func (p *pageMaker) about(body []byte) string {
	var event struct {
		Data struct {
			ID            string `json:"id"`
			IntegrationID string `json:"integrationId"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &event) != nil {
		return ""
	}
	if event.Data.IntegrationID != "" {
		return p.show(event.Data.IntegrationID)
	}
	return p.show(event.Data.ID)
}

// checkSignature verifies a delivery as its receiver does, and says with which of the secrets. The caller holds the lock.
func (s *Server) checkSignature(header http.Header, body []byte, now time.Time) (verdict, tone string) {
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return "no timestamp", "bad"
	}
	signedBy := func(secret string) bool {
		if secret == "" {
			return false
		}
		want := []byte(signature(secret, header.Get("webhook-id"), time.Unix(seconds, 0), body))
		for entry := range strings.FieldsSeq(header.Get("webhook-signature")) {
			if hmac.Equal([]byte(entry), want) {
				return true
			}
		}
		return false
	}
	current, previous := signedBy(s.signing.secret), signedBy(s.signing.previous)
	stillSigns := now.Before(s.signing.previousUntil)
	switch {
	case current && previous:
		return "valid: secret in force, and the previous one", "good"
	case current:
		return "valid: secret in force", "good"
	case previous && stillSigns:
		return "valid: previous secret, in its rotation window", "good"
	case previous:
		return "previous secret, no longer valid", "gone"
	default:
		return "matches no secret that the account has now", "bad"
	}
}

// How many rows of each kind the page shows, the newest first.
const (
	pageCompanies  = 20
	pageInvoices   = 50
	pageWebhooks   = 50
	pageDeliveries = 50
	pageRequests   = 100
	pageSteps      = 20
	pageLetters    = 200
)
