package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

// How many rows of each kind the page shows, the newest first, and how many letters of a long text.
const (
	pageCompanies  = 20
	pageInvoices   = 50
	pageObjects    = 50
	pageWebhooks   = 50
	pageDeliveries = 50
	pageRequests   = 100
	pageSteps      = 20
	pageLetters    = 200
	pageBody       = 4000
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
		const why = "Open the sandbox's page on this machine only, at localhost, 127.0.0.1 or [::1]."
		http.Error(w, why, http.StatusForbidden)
		return
	}
	page.Handler{View: s.pageView, Document: s.pageDocument, State: s.pageState, Ended: s.ctx.Done()}.ServeHTTP(w, r)
}

// fromThisMachine reports whether a request comes from this machine and is addressed to a name of this machine. A
// site whose own name resolves to 127.0.0.1 must not read the page.
func fromThisMachine(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && onLoopback("http://"+r.Host)
}

// pageState differs when the page may differ: after each step of the server, and after a window of the rate limit.
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
func (s *Server) pageView(query page.Query) page.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pageMaker(query)
	v := page.View{
		Now: p.moment(p.now), Limit: p.limit(), Orders: p.orders(), Customers: p.customers(), Products: p.products(),
		Companies: p.companies(), Secrets: p.secrets(), Webhooks: p.webhooks(),
		Deliveries: p.deliveries(pageDeliveries, p.wantedDelivery),
		Requests:   p.requests(pageRequests, p.wantedRequest, false), One: p.detail(query.Invoice),
	}
	p.countInvoices(&v)
	return v
}

// pageMaker makes the parts of a view, under the server's lock.
type pageMaker struct {
	*page.Redactor
	s     *Server
	now   time.Time
	names map[string]string // of the companies, by id
	query page.Query
	// search is the folded text of the search. digits is the same without spaces, if it has only digits.
	search, digits string
}

func (s *Server) pageMaker(query page.Query) *pageMaker {
	p := &pageMaker{
		Redactor: s.redactor(), s: s, now: s.clock.Now(), names: map[string]string{},
		query: query, search: fold(query.Search),
	}
	if joined := strings.ReplaceAll(p.search, " ", ""); strings.Trim(joined, "0123456789") == "" {
		p.digits = joined
	}
	for _, company := range s.latest(KindCompanies) {
		p.names[text(company, "id")] = p.Text(text(company, "name"))
	}
	return p
}

// found reports whether these texts contain the search, regardless of accents, capitals and punctuation. Hidden texts
// are not found, so that nobody can guess them.
func (p *pageMaker) found(texts ...string) bool {
	if p.query.Search == "" {
		return true
	}
	within := fold(p.Text(strings.Join(texts, "\n")))
	return p.search != "" && strings.Contains(within, p.search) || p.digits != "" && strings.Contains(within, p.digits)
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

// latest are the documents of a kind as they are now. They are no copies: for reading only.
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
		meter := page.Meter{InMinute: used.minuteCount, InSecond: used.secondCount}
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
		Keys: page.Newest(meters, pageCompanies, nil, func(m page.Meter) page.Meter { return m }),
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
			ID: p.Text(text(doc, "id")), Subject: p.Text(text(doc, "subject")),
			Expires: p.moment(expires), Active: truth(doc, "isActive"),
		})
	}
	all := p.s.latest(KindCompanies)
	main := slices.IndexFunc(all, func(company object) bool { return text(company, "id") == p.s.ownerID })
	if main >= 0 {
		all = append(slices.Delete(slices.Clone(all), main, main+1), all[main])
	}
	wanted := func(company object) bool {
		return p.found(text(company, "id"), text(company, "name"), text(company, "legalName"),
			text(company, "federalTaxNumber"))
	}
	return page.Newest(all, pageCompanies, wanted, func(company object) page.Company {
		id := text(company, "id")
		return page.Company{
			ID: p.Text(id), Name: p.names[id], LegalName: p.Text(text(company, "legalName")),
			TaxNumber: p.Text(text(company, "federalTaxNumber")), Key: maskedKey(text(company, "_apiKey")),
			Main: id == p.s.ownerID, Certificates: certificates[id],
			Environments: p.environments(id), Settings: p.settings(id),
		}
	})
}

// environments are the environments of a company's invoices: by model if they differ.
func (p *pageMaker) environments(companyID string) []page.Setting {
	var out []page.Setting
	for _, m := range invoiceModels {
		to := environment(p.s.settingsBlock(companyID, m.name))
		out = append(out, page.Setting{Name: m.name, Value: p.Value("environmentType", to)})
	}
	if out[0].Value == out[1].Value && out[1].Value == out[2].Value {
		return []page.Setting{{Value: out[0].Value}}
	}
	return out
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
	wanted := func(doc object) bool {
		return p.found(text(doc, "id"), text(doc, "event"), p.Address(text(doc, "url")))
	}
	return page.Newest(p.s.latest(KindWebhooks), pageWebhooks, wanted, func(doc object) page.Webhook {
		return page.Webhook{
			ID: p.Text(text(doc, "id")), Event: p.Text(text(doc, "event")),
			URL: p.Address(text(doc, "url")), Enabled: truth(doc, "enabled"),
		}
	})
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
