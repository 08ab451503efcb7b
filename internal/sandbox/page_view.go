package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

// pageView is what the page shows. Every text in it has gone through a curtain.
type pageView struct {
	BaseURL    string
	Now        moment
	Reload     bool
	ReloadTime int
	Summary    string
	Limit      limitView
	Companies  rows[companyView]
	Invoices   rows[invoiceView]
	Secrets    secretsView
	Webhooks   rows[webhookView]
	Deliveries rows[deliveryView]
	Requests   rows[requestView]
}

// rows are the newest of all there are.
type rows[T any] struct {
	Shown []T
	Total int
}

// More is how many there are that the page leaves out.
func (r rows[T]) More() int { return r.Total - len(r.Shown) }

type limitView struct {
	On        bool
	PerMinute int
	PerSecond int
	Window    string
	Keys      rows[meterView]
}

type meterView struct {
	Key, Whose         string
	InMinute, InSecond int
	Reset              moment
}

type companyView struct {
	ID, Name, LegalName, TaxNumber, Key string
	Main                                bool
	Certificates                        []certificateView
	Settings                            []settingsView
}

type certificateView struct {
	Subject string
	Expires moment
	Active  bool
}

type settingsView struct {
	Block  string
	Fields []settingView
}

type settingView struct{ Name, Value string }

type invoiceView struct {
	ID, Model, IntegrationID, Description, Number, Amount, Company string
	State                                                          stateView
	Corrections                                                    int
	Updated                                                        moment
	History                                                        []stepView
	EarlierSteps                                                   int
}

// stateView is a state's word and the kind of it, which the page gives a colour.
type stateView struct{ Word, Tone string }

type stepView struct {
	At            moment
	State         stateView
	Code, Message string
}

type secretsView struct {
	InForce, Previous string
	Until             moment
	StillSigns        bool
}

type webhookView struct {
	ID, Event, URL string
	Enabled        bool
}

// deliveryView is a delivery with its last try, if there was one.
type deliveryView struct {
	Row, Event, URL, Invoice, State, Tone string
	Tries                                 int
	At                                    moment
	Answer, LastSign, SignTone            string
}

type requestView struct {
	Row                       string
	At                        moment
	Method, Path, Whose, Tone string
	Status                    int
}

// moment is a time on the page.
type moment struct{ at, now time.Time }

// Set says whether there is such a time.
func (m moment) Set() bool { return !m.at.IsZero() }

// Machine is the time for the attribute datetime.
func (m moment) Machine() string { return m.at.UTC().Format(time.RFC3339) }

// Text is the time of day here, after the date where that is not today's.
func (m moment) Text() string {
	at := m.at.Local()
	if at.Format(time.DateOnly) == m.now.Local().Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

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

// newest takes the last of a list, the very last first, and makes rows of them.
func newest[T, V any](all []T, most int, row func(T) V) rows[V] {
	out := rows[V]{Total: len(all)}
	for _, one := range slices.Backward(all[max(0, len(all)-most):]) {
		out.Shown = append(out.Shown, row(one))
	}
	return out
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

// toneOf is the tone of an HTTP status; 0 is none yet.
func toneOf(status int) string {
	switch status / 100 {
	case 0:
		return "wait"
	case 2:
		return "good"
	default:
		return "bad"
	}
}

func shorten(long string, most int) string {
	if letters := []rune(long); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return long
}
