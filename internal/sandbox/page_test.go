package sandbox

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// look gets something of the page as a browser does, without a key.
func (c *client) look(method, path string) got {
	c.t.Helper()
	return (&client{t: c.t, s: c.s}).exchange(method, strings.TrimSuffix(c.s.PageURL(), "/")+path, nil, nil)
}

// readable is what a page says, without its markup.
func readable(page string) string {
	words := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(words)), " ")
}

func TestPage_showsTheAccount(t *testing.T) {
	t.Parallel()
	c, _ := busyAccount(t)
	g := c.look("GET", "/")
	if got := g.header.Get("Content-Type"); g.status != http.StatusOK || got != "text/html; charset=utf-8" {
		t.Fatalf("page = %d %s", g.status, got)
	}
	page := readable(g.raw)
	of := strings.NewReplacer("{url}", c.s.BaseURL(), "{owner}", c.s.OwnerCompanyID(), "{key}", c.key[:4])
	for what, want := range rows.Read[map[string]string](t, "page_shows_the_account.json") {
		expect.Contains(t, page, of.Replace(want), "%s", what)
	}
}

func TestPage_hidesSecretsWhereverTheyAre(t *testing.T) {
	t.Parallel()
	c, _ := busyAccount(t)
	previous := c.s.WebhookSecret()
	c.s.RotateWebhookSecret(24)
	id := c.s.Seed(KindServiceInvoices, object{
		"integrationId": c.key, "description": previous + " " + strings.TrimPrefix(c.s.WebhookSecret(), secretPrefix),
		"processingDetail": object{"code": plantedCSC, "message": "with " + plantedPassword},
		"amount":           object{"password": "anything", "other": plantedCertificate},
	})
	c.s.Seed(KindCompanies, object{"name": "Key " + c.key, "legalName": plantedCSC, "federalTaxNumber": plantedPassword})
	c.s.Seed(KindWebhooks, object{"url": "http://127.0.0.1/" + plantedPassword, "event": "rejected " + plantedCSC})
	raw := c.look("GET", "/").raw
	wantTexts(t, raw, `id="invoice-`+id)
	raw += c.look("GET", "/?lang=pt").raw
	// The bodies of its requests are on the page of an invoice.
	for _, invoice := range c.s.Invoices("") {
		id := invoice["id"].(string)
		raw += c.look("GET", "/?invoice="+id).raw + c.look("GET", "/_sandbox/documents/"+id).raw + c.look("GET", "/_sandbox/documents/"+id+".xml").raw
	}
	wantTexts(t, raw, "&#34;description&#34;: &#34;After the rotation, signed by (hidden)&#34;")
	page := html.UnescapeString(raw)
	secrets := []string{
		plantedCSC, plantedPassword, plantedCSRT, plantedToken, plantedCertificate, plantedNobodysKey, "anything",
		previous, strings.TrimPrefix(previous, secretPrefix), c.s.WebhookSecret(), strings.TrimPrefix(c.s.WebhookSecret(), secretPrefix),
	}
	for _, company := range c.s.Objects(KindCompanies) {
		secrets = append(secrets, c.s.KeyOf(company["id"].(string)))
	}
	for _, secret := range secrets {
		if strings.Contains(page, secret) || strings.Contains(raw, secret) {
			t.Errorf("the page shows %q", secret)
		}
		// Nobody can guess at a secret by searching for a part of it.
		wantTexts(t, readable(c.look("GET", "/?q="+url.QueryEscape(secret[:len(secret)-1])).raw), "Nothing contains")
	}
}

func TestPage_leavesMarkupAsText(t *testing.T) {
	t.Parallel()
	c, _ := busyAccount(t)
	c.s.Seed(KindServiceInvoices, object{"id": `x" onclick="alert(1)`, "status": `<img src=x onerror=alert(1)>`, "integrationId": `'"><svg onload=alert(1)>`})
	c.do("GET", "/<script>alert(1)</script>", nil)
	raw := c.look("GET", "/").raw
	if scripts := strings.Count(raw, "<script"); scripts != 2 || strings.Contains(raw, "<img") || strings.Contains(raw, "<svg") || strings.Contains(raw, `" onclick`) {
		t.Errorf("markup of a document is markup of the page; %d scripts", scripts)
	}
	wantTexts(t, raw, "&lt;img src=x onerror=alert(1)&gt;", "&lt;svg onload=alert(1)&gt;",
		"/v1/&lt;script&gt;alert(1)&lt;/script&gt;")
}

func TestFromThisMachine_goesByTheAddressAndTheName(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Host, From string
		Want       bool
	}](t, "from_this_machine_goes_by_the_address_and_the_name.json") {
		expect.Is(t, fromThisMachine(&http.Request{Host: tt.Host, RemoteAddr: tt.From}), tt.Want, "%s", name)
	}
}

func TestPage_isForThisMachine(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	t.Cleanup(s.Close)
	for _, path := range []string{"/", "/_sandbox/page.js"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)) // From 192.0.2.1.
		if w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "Matriz") {
			t.Errorf("%s = %d %s", path, w.Code, w.Body)
		}
	}
}

func TestPage_isNoRequestToTheService(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, RateLimit: true})
	c.s.OnRequest(func(r Request) {
		expect.Is(t, r.Path, "/v1/customers", "%s is told of as a request", r.Method)
	})
	c.s.Inject(Fault{Kind: FaultStatus, Status: http.StatusTeapot})
	c.s.Before("", "", func() {})
	looked := func() {
		c.s.pageState()
		for range 5 {
			for _, path := range []string{"/", "/_sandbox/page.css"} {
				if g := c.look("GET", path); g.status != http.StatusOK || g.header.Get("X-Rate-Limit-Remaining") != "" {
					t.Errorf("GET %s = %d %v", path, g.status, g.header)
				}
			}
		}
	}
	looked()
	wantStatus(t, c.do("GET", "/customers", nil), http.StatusTeapot)
	clock.Advance(90 * time.Second)
	looked()
	clock.Advance(10 * time.Second)
	g := c.do("GET", "/customers", nil)
	wantStatus(t, g, http.StatusOK)
	if got, want := g.header.Get("x-rate-limit-reset"), instant(noon.Add(160*time.Second)); got != want {
		t.Errorf("the window ends at %s, want %s: it begins with a request, not with a look", got, want)
	}
	wantSame(t, 2, len(c.s.Requests()), "number of recorded requests")
}

func TestPage_showsTheNewestOfVeryMany(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	t.Cleanup(s.Close)
	models := []string{KindServiceInvoices, KindProductInvoices, KindConsumerInvoices}
	for i := range 1500 {
		s.Seed(models[i%3], object{"integrationId": fmt.Sprintf("sale-%04d", i), "amount": 1})
	}
	request := func(path string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:40000"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	for i := range 150 {
		request(fmt.Sprint("/v1/customers/", i))
	}
	raw := request("/")
	page := readable(raw)
	wantTexts(t, page,
		"1,500 invoices: 1,500 authorized.", "The first 50 are shown, 1,450 more are not.", "sale-1499", "sale-1450 ",
		"The first 100 are shown, 50 more are not.", "/v1/customers/149", "/v1/customers/50 ",
	)
	wantNoTexts(t, page, "sale-1449", "/v1/customers/49 ")
	if strings.Index(page, "sale-1499") > strings.Index(page, "sale-1498") {
		t.Error("the newest invoice is not first")
	}
	wantTexts(t, readable(request("/?q=SALE-0003")), "1 result for “SALE-0003”", "sale-0003")
	if len(raw) > 200<<10 {
		t.Errorf("the page has %d bytes", len(raw))
	}
}

// events reads the stream of the page: each call of next waits for one event and returns its data.
func (c *client) events() (next func() string, header http.Header) {
	c.t.Helper()
	resp, err := c.begin("GET", c.s.PageURL()+"_sandbox/events", nil, nil)
	expect.NoError(c.t, err)
	c.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return "the end"
	}, resp.Header
}

func TestPageState_isAnotherAfterEveryKindOfChange(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, RateLimit: true, AuthorizeAfter: time.Minute})
	issue := func() { c.issued("/service-invoices", nil) }
	for _, step := range []struct {
		name          string
		first, change func()
	}{
		{"a request", func() {}, func() { c.do("GET", "/nothing", nil) }},
		{"a change behind the API", func() {}, func() { c.s.Seed(KindServiceInvoices, object{}) }},
		{"a timer", issue, func() { clock.Advance(time.Minute) }},
		{"a rotation", func() {}, func() { c.s.RotateWebhookSecret(1) }},
		{"an emptied log", func() {}, c.s.ResetRequests},
	} {
		step.first()
		before := c.s.pageState()
		c.look("GET", "/") // Else each look would cause the next.
		wantSame(t, before, c.s.pageState(), "%s: the state after a look", step.name)
		step.change()
		if after := c.s.pageState(); after == before {
			t.Errorf("%s: the state is the same", step.name)
		}
	}
}

func TestPageEvents_comeUntilTheServerCloses(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	next, header := c.events()
	wantSame(t, "text/event-stream", header.Get("Content-Type"), "content type")
	for _, want := range []string{"1", "2", "3"} {
		if got := next(); got != want {
			t.Fatalf("event %s, want %s", got, want)
		}
		c.s.Seed(KindServiceInvoices, object{})
	}
	next()
	c.s.Close()
	wantSame(t, "the end", next(), "event after Close")
}

func TestPageEvents_tellOfTimeAlone(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, RateLimit: true})
	c.do("GET", "/customers", nil)
	next, _ := c.events()
	next()
	before := c.s.steps.Load()
	clock.Advance(2 * time.Minute)
	if got := next(); got != "2" || c.s.steps.Load() != before {
		t.Errorf("event %s after %d steps, want one without any step", got, c.s.steps.Load()-before)
	}
}

func TestPage_handsOutDocuments(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	c.s.ScriptInvoice("sale-2", Reject("778", "Rejeição: Informado NCM inexistente"))
	rejected, goods := c.issued("/consumer-invoices", object{"integrationId": "sale-2"}), c.issued("/product-invoices", nil)
	key := c.must("GET", "/product-invoices/"+goods, nil)["accessKey"].(string)
	wantTexts(t, readable(c.look("GET", "/_sandbox/documents/"+goods).raw), key[:4]+" "+key[4:8]+" ")
	g := c.look("GET", "/_sandbox/documents/"+goods+".xml")
	var parsed struct{ XMLName xml.Name }
	if err := xml.Unmarshal([]byte(g.raw), &parsed); err != nil || g.header.Get("Content-Disposition") != `attachment; filename="`+goods+`.xml"` {
		t.Errorf("the XML = %v %v", g.header, err)
	}
	for _, path := range []string{"nowhere", "nowhere.xml", rejected, rejected + ".xml", ""} {
		if g := c.look("GET", "/_sandbox/documents/"+path); g.status != http.StatusNotFound || !strings.Contains(g.raw, "<main>") {
			t.Errorf("%s = %d", path, g.status)
		}
	}
}

// The secrets that are planted in the account of page tests, where a page could show them.
const (
	plantedCSC         = "CSC-0123456789-abcdef"
	plantedPassword    = "prefeitura-senha-7"
	plantedCSRT        = "csrt-of-the-software-house"
	plantedToken       = "token-of-the-receiver"
	plantedCertificate = "password-of-the-pfx"
	plantedNobodysKey  = "0123456789abcdef-nobodys"
)

// busyAccount is one with something in every part of the page, secrets in many places, and texts that would be markup.
func busyAccount(t *testing.T) (*client, *ManualClock) {
	t.Helper()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, Seed: 3, RateLimit: true, AuthorizeAfter: 4 * time.Second})
	s := c.s
	owner := s.OwnerCompanyID()
	good, bad := newReceiver(t, http.StatusNoContent), newReceiver(t, http.StatusInternalServerError)
	branch := s.Seed(KindCompanies, object{
		"name": "Filial <b>Centro</b>", "legalName": "Filial Centro & Irmãos Ltda", "federalTaxNumber": "11222333000181",
	})
	for _, id := range []string{owner, branch} {
		s.SetSettings(id, object{
			"general": object{
				"technicalResponsible": object{"contactName": "Ana", "csrts": []any{object{"id": 1, "csrt": plantedCSRT}}},
				"roundingTolerance":    object{"apiToken": plantedToken, "note": "echo of " + s.KeyOf(id)},
			},
			"consumerInvoice": object{"tokenId": "000001", "csc": plantedCSC},
			"serviceInvoice":  object{"userName": "fiscal", "password": plantedPassword},
		})
	}
	s.ExpectCertificate([]byte("pfx"), plantedCertificate, "CN=Matriz", "CN=AC", noon.Add(24*time.Hour))
	wantStatus(t, c.upload(owner, "certificateFile", "pfx", plantedCertificate), http.StatusOK)
	c.subscribe(EventAuthorized, good.url+"/in?token="+plantedToken)
	c.subscribe(EventRejected, bad.url+"/hooks?token="+plantedToken)
	c.subscribe(EventCanceled, "http://127.0.0.1:1/closed?token="+plantedToken)
	c.subscribe(EventStatusChanged, "https://user:"+plantedToken+"@hooks.example/in")

	// The limit of a second is real, so the clock moves between the requests.
	post := func(path, integrationID string, more object) string {
		clock.Advance(time.Second)
		more["integrationId"] = integrationID
		return c.issued(path, more)
	}
	post("/service-invoices", "order-1001", object{"description": `<script>window.pwned = true</script> "Consultoria" & key ` + c.key})
	s.ScriptInvoice("sale-2", Reject("778", "Rejeição: Informado NCM inexistente [nItem:1] <i>"))
	post("/consumer-invoices", "sale-2", object{})
	canceled := post("/service-invoices", "order-1002", object{})
	corrected := post("/product-invoices", "order-1003", object{})
	s.ScriptInvoice("order-1004", StuckUntilCheck(Authorize()))
	post("/product-invoices", "order-1004", object{})
	post("/service-invoices", "draft-5", object{"issue": false})
	clock.Advance(10 * time.Second)
	s.Settle()
	wantStatus(t, c.do("POST", "/product-invoices/"+corrected+"/corrections", object{"letter": "Corrigir o endereço de entrega"}), http.StatusOK)
	clock.Advance(time.Second)
	wantStatus(t, c.do("DELETE", "/service-invoices/"+canceled, object{"reason": "Emitida em duplicidade"}), http.StatusOK)
	clock.Advance(5 * time.Second)
	s.Settle()
	s.RotateWebhookSecret(24)
	post("/service-invoices", "order-1006", object{"description": "After the rotation, signed by " + s.WebhookSecret()})
	clock.Advance(5 * time.Second)
	s.Settle()

	stranger := *c
	stranger.key = plantedNobodysKey
	wantStatus(t, stranger.do("GET", "/customers?name="+plantedToken, nil), http.StatusForbidden)
	wantStatus(t, c.do("GET", "/customers/"+c.key, nil), http.StatusNotFound)
	return c, clock
}
