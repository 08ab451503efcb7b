package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

// How many rows of each kind the page shows, the newest first, and how many letters of a long text.
const (
	pageCompanies  = 20
	pageInvoices   = 50
	pageWebhooks   = 50
	pageDeliveries = 50
	pageRequests   = 100
	pageSteps      = 20
	pageLetters    = 200
)

// PageURL is the address of the page; empty before Listen.
func (s *Server) PageURL() string {
	if s.address == "" {
		return ""
	}
	return "http://" + s.address + page.Path
}

// servePage serves the page to this machine alone. Such a request is not recorded, counts in no limit, and meets no
// fault and no hook.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	if !fromThisMachine(r) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.Error(w, "The page of the sandbox is for this machine, by its own name: localhost, 127.0.0.1 or [::1].", http.StatusForbidden)
		return
	}
	page.Handler{View: s.pageView, State: s.pageState, Ended: s.ctx.Done()}.ServeHTTP(w, r)
}

// fromThisMachine says whether a browser here asked, and by a name of this machine. A site whose own name is made to
// resolve to 127.0.0.1 must not read the page.
func fromThisMachine(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && onLoopback("http://"+r.Host)
}

// pageState differs when the page may differ: after each step of the server, and when a window of the rate limit is over.
func (s *Server) pageState() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	var minutes, seconds int
	for _, w := range s.windows {
		used := w.seen(now)
		minutes += used.minuteCount
		seconds += used.secondCount
	}
	return fmt.Sprint(s.steps.Load(), " ", minutes, " ", seconds)
}

// pageView is what the page shows now. It changes nothing, and costs little more for a large account.
func (s *Server) pageView() page.View {
	requests, total := s.newestRequests(pageRequests)

	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pageMaker{Redactor: s.redactor(), s: s, now: s.clock.Now(), names: map[string]string{}}
	for _, company := range s.latest(KindCompanies) {
		p.names[text(company, "id")] = p.Text(text(company, "name"))
	}
	return page.View{
		Now: p.moment(p.now), Summary: p.summary(), Limit: p.limit(), Companies: p.companies(), Invoices: p.invoices(),
		Secrets: p.secrets(), Webhooks: p.webhooks(), Deliveries: p.deliveries(), Requests: p.requests(requests, total),
	}
}

// pageMaker makes the parts of a view, under the server's lock.
type pageMaker struct {
	*page.Redactor
	s     *Server
	now   time.Time
	names map[string]string // of the companies, by id
}

// redactor hides the secrets that the account has now. The caller holds the lock.
func (s *Server) redactor() *page.Redactor {
	var secrets []string
	for _, secret := range []string{s.signing.secret, s.signing.previous} {
		secrets = append(secrets, secret, strings.TrimPrefix(secret, secretPrefix))
	}
	for _, company := range s.latest(KindCompanies) {
		secrets = append(secrets, text(company, "_apiKey"))
	}
	for _, certificate := range s.expected {
		secrets = append(secrets, certificate.password)
	}
	for _, doc := range s.settings {
		for _, shape := range settingsBlocks {
			for _, field := range shape.fields {
				if field.secret {
					secrets = append(secrets, text(doc[shape.name].values, field.name))
				}
			}
		}
	}
	return page.NewRedactor(secrets)
}

func (p *pageMaker) moment(at time.Time) page.Moment { return page.Moment{At: at, Now: p.now} }

// latest are the documents of a kind as they are now, themselves and not copies: for reading only.
func (s *Server) latest(kind string) []object {
	sh := s.shelf(kind)
	docs := make([]object, len(sh.order))
	for i, id := range sh.order {
		docs[i] = sh.byID[id].latest()
	}
	return docs
}

func (p *pageMaker) limit() page.Limit {
	whose := map[string]string{}
	for _, company := range p.s.latest(KindCompanies) {
		whose[text(company, "_apiKey")] = p.names[text(company, "id")]
	}
	var meters []page.Meter
	for key, w := range p.s.windows {
		used := w.seen(p.now)
		meter := page.Meter{Key: "none of the account", Whose: "nobody", InMinute: used.minuteCount, InSecond: used.secondCount}
		if name, ok := whose[key]; ok {
			meter.Key, meter.Whose = maskedKey(key), name
		}
		if used.minuteCount > 0 {
			meter.Reset = p.moment(used.reset())
		}
		meters = append(meters, meter)
	}
	slices.SortFunc(meters, func(a, b page.Meter) int {
		return cmp.Or(a.InMinute-b.InMinute, cmp.Compare(b.Whose, a.Whose), cmp.Compare(b.Key, a.Key))
	})
	return page.Limit{
		On: p.s.opts.RateLimit, PerMinute: p.s.opts.RateLimitPerMinute, PerSecond: requestsPerSecond,
		Keys: page.Newest(meters, pageCompanies, func(m page.Meter) page.Meter { return m }),
	}
}

// maskedKey shows the first characters of a key, as the service does, and not how long it is.
func maskedKey(key string) string {
	if len(key) <= 2*visibleOfKey {
		return "****"
	}
	return key[:visibleOfKey] + "****"
}

// companies shows the main company first, then the newest.
func (p *pageMaker) companies() page.Rows[page.Company] {
	certificates := map[string][]page.Certificate{}
	for _, doc := range slices.Backward(p.s.latest(KindCertificates)) {
		expires, _ := parseMoment(text(doc, "expirationAt"))
		of := text(doc, "_companyId")
		certificates[of] = append(certificates[of], page.Certificate{
			ID: p.Text(text(doc, "id")), Subject: p.Text(text(doc, "subject")), Expires: p.moment(expires), Active: truth(doc, "isActive"),
		})
	}
	all := p.s.latest(KindCompanies)
	main := slices.IndexFunc(all, func(company object) bool { return text(company, "id") == p.s.ownerID })
	if main >= 0 {
		all = append(slices.Delete(slices.Clone(all), main, main+1), all[main])
	}
	return page.Newest(all, pageCompanies, func(company object) page.Company {
		id := text(company, "id")
		return page.Company{
			ID: p.Text(id), Name: p.names[id], LegalName: p.Text(text(company, "legalName")),
			TaxNumber: p.Text(text(company, "federalTaxNumber")), Key: maskedKey(text(company, "_apiKey")), Main: id == p.s.ownerID,
			Certificates: certificates[id], Settings: p.settings(id),
		}
	})
}

func (p *pageMaker) settings(companyID string) []page.Settings {
	doc := p.s.settingsOf(companyID)
	var out []page.Settings
	for _, shape := range settingsBlocks {
		block := doc[shape.name]
		shown := page.Settings{Block: shape.name}
		for _, name := range block.names(shape) {
			value := block.values[name]
			if value != nil && secretSetting(shape.name, name) {
				value = page.Hidden
			}
			shown.Fields = append(shown.Fields, page.Setting{Name: p.Text(name), Value: p.Value(name, value)})
		}
		out = append(out, shown)
	}
	return out
}

// invoices are the newest of all models together.
func (p *pageMaker) invoices() page.Rows[page.Invoice] {
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
	out := page.Newest(candidates, pageInvoices, func(l listed) page.Invoice { return p.invoice(l.model, l.entry) })
	out.Total = total
	return out
}

func (p *pageMaker) invoice(m invoiceModel, e *entry) page.Invoice {
	doc := e.latest()
	v := page.Invoice{
		ID: p.Text(text(doc, "id")), Model: m.name, IntegrationID: p.Text(text(doc, "integrationId")),
		Description: p.Short(text(doc, "description"), pageLetters), Amount: p.Value("amount", doc["amount"]),
		Company: p.company(text(doc, "_company")), State: p.state(text(doc, "status")), Updated: p.moment(e.history[len(e.history)-1].At),
		EarlierSteps: max(0, len(e.history)-pageSteps),
	}
	if number := integer(doc, "number"); number != 0 {
		v.Number = p.Text(strings.TrimPrefix(text(doc, "series")+"/", "/") + strconv.FormatInt(number, 10))
	}
	corrections, _ := doc["_corrections"].([]any)
	v.Corrections = len(corrections)
	for _, step := range e.history[v.EarlierSteps:] {
		v.History = append(v.History, page.Step{
			At: p.moment(step.At), State: p.state(step.Status), Code: p.Text(step.Code), Message: p.Text(step.Message),
		})
	}
	return v
}

// summary counts the invoices by state, for the top of the page and for those who hear it.
func (p *pageMaker) summary() string {
	counts := map[string]int{}
	total := 0
	for _, m := range invoiceModels {
		for _, doc := range p.s.latest(m.kind) {
			counts[text(doc, "status")]++
			total++
		}
	}
	if total == 0 {
		return "No invoice yet."
	}
	var words []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[status], p.Text(status)))
	}
	noun := "invoices"
	if total == 1 {
		noun = "invoice"
	}
	return fmt.Sprintf("%d %s: %s.", total, noun, strings.Join(words, ", "))
}

// secrets says since when the webhook secrets sign, without showing them.
func (p *pageMaker) secrets() page.Secrets {
	v := page.Secrets{InForce: secretPrefix + "****"}
	if p.s.signing.previous != "" {
		v.Previous, v.Until = v.InForce, p.moment(p.s.signing.previousUntil)
		v.StillSigns = p.now.Before(p.s.signing.previousUntil)
	}
	return v
}

func (p *pageMaker) webhooks() page.Rows[page.Webhook] {
	return page.Newest(p.s.latest(KindWebhooks), pageWebhooks, func(doc object) page.Webhook {
		return page.Webhook{ID: p.Text(text(doc, "id")), Event: p.Text(text(doc, "event")), URL: p.Address(text(doc, "url")), Enabled: truth(doc, "enabled")}
	})
}

func (p *pageMaker) deliveries() page.Rows[page.Delivery] {
	number := len(p.s.deliveries)
	tones := map[string]string{DeliverySucceeded: page.Good, DeliveryFailed: page.Bad, DeliverySkipped: page.Gone, DeliveryPending: page.Wait}
	return page.Newest(p.s.deliveries, pageDeliveries, func(d *Delivery) page.Delivery {
		v := page.Delivery{
			Row: "delivery-" + strconv.Itoa(number), Event: p.Text(d.Event), URL: p.Address(d.URL),
			Invoice: p.about(d.Body), State: d.State, Tone: tones[d.State], Tries: len(d.Attempts),
		}
		number--
		if d.State == DeliverySkipped {
			v.Answer = "not sent: the address is not on loopback"
		}
		if len(d.Attempts) == 0 {
			return v
		}
		last := d.Attempts[len(d.Attempts)-1]
		v.At = p.moment(last.At)
		v.Answer = "answered " + strconv.Itoa(last.Status)
		if last.Status == 0 {
			v.Answer = p.Failure(last.Err)
		}
		v.LastSign, v.SignTone = p.s.checkSignature(last.Header, d.Body, p.now)
		return v
	})
}

// about is the integration id, or else the id, of the invoice of an event.
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
	return p.Text(cmp.Or(event.Data.IntegrationID, event.Data.ID))
}

func (p *pageMaker) requests(newestOf []numberedRequest, total int) page.Rows[page.Request] {
	out := page.Newest(newestOf, pageRequests, func(r numberedRequest) page.Request {
		v := page.Request{
			Row: "request-" + strconv.Itoa(r.number), At: p.moment(r.At), Method: p.Text(r.Method), Path: p.Short(r.Path, pageLetters),
			Status: r.Status, Whose: "no known key", Tone: page.Bad,
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
	out.Total = total
	return out
}

// numberedRequest is a recorded request without header and body, and how many were before it.
type numberedRequest struct {
	Request
	number int
}

// newestRequests returns the last requests to the service in the order of their arrival, and how many there are in all.
func (s *Server) newestRequests(most int) (last []numberedRequest, total int) {
	s.watch.Lock()
	defer s.watch.Unlock()
	for i, r := range slices.Backward(s.log) {
		total++
		if len(last) < most {
			last = append(last, numberedRequest{Request{Method: r.Method, Path: r.Path, Key: r.Key, Status: r.Status, At: r.At}, i})
		}
	}
	slices.Reverse(last)
	return last, total
}

// company is the name of a company, or its id where it is gone.
func (p *pageMaker) company(id string) string { return cmp.Or(p.names[id], p.Text(id)) }

func (p *pageMaker) state(status string) page.State {
	tone := page.Wait
	switch status {
	case statusAuthorized:
		tone = page.Good
	case statusRejected, statusDenied:
		tone = page.Bad
	case statusCanceled, statusRemoved, statusDisabled:
		tone = page.Gone
	}
	return page.State{Word: p.Text(status), Tone: tone}
}
