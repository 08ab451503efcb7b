package einvoice

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestInvoice_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","status":"enqueued","number":0}`
	const other = `{"id":"2","status":"authorized"}`
	invoice := &Invoice{ID: "1", Status: "enqueued", Raw: json.RawMessage(object)}
	const reason = "issued by mistake & paid back"
	create := func(c *Client) (*Invoice, error) {
		return c.CreateInvoice(t.Context(), ModelConsumer, json.RawMessage(`{ "a" : 10.00, "b":"<" }`), nil)
	}
	read := func(c *Client) (*Invoice, error) { return c.Invoice(t.Context(), ModelService, "1") }
	issue := func(c *Client) (*Invoice, error) { return c.IssueInvoice(t.Context(), ModelService, "1", nil) }
	check := func(c *Client) (*Invoice, error) { return c.CheckInvoiceStatus(t.Context(), ModelService, "1") }
	cancel := func(c *Client) (*Invoice, error) { return c.CancelInvoice(t.Context(), ModelService, "1", reason, nil) }

	posted := exchange{method: "POST", path: "/v1/consumer-invoices", body: `{ "a" : 10.00, "b":"<" }`}
	got := exchange{method: "GET", path: "/v1/service-invoices/1"}
	issued := exchange{method: "POST", path: "/v1/service-invoices/1/issue"}
	checked := exchange{method: "POST", path: "/v1/service-invoices/1/check-status"}
	deleted := exchange{method: "DELETE", path: "/v1/service-invoices/1", body: `{"reason":"issued by mistake & paid back"}`}
	runOperations(t, []operation[*Invoice]{
		{"a creation", create, []exchange{posted.answering(200, object)}, invoice, ""},
		{"a creation without an id", create, []exchange{posted.answering(200, `{"status":"enqueued"}`)}, nil, "bad answer, ambiguous"},
		{"a creation without an answer", create, []exchange{posted.answering(202, ``)}, nil, "bad answer, ambiguous"},
		{"a read", read, []exchange{got.answering(200, object)}, invoice, ""},
		{"a read that shows nothing", read, []exchange{got.answering(200, `{"success":true}`)}, nil, "bad answer, ambiguous"},
		{"a read that shows another one", read, []exchange{got.answering(200, other)}, nil, "bad answer, ambiguous"},
		{"a read of what is gone asks no list", read, []exchange{got.answering(404, ``)}, nil, "not found"},
		{"issuing", issue, []exchange{issued.answering(200, object)}, invoice, ""},
		{"issuing that shows nothing", issue, []exchange{issued.answering(200, ``)}, nil, ""},
		{"issuing that is refused", issue, []exchange{issued.answering(200, `{"success":false}`)}, nil, "not successful"},
		{"a check", check, []exchange{checked.answering(200, object)}, invoice, ""},
		{"a check that shows nothing, and so is read", check, []exchange{checked.answering(200, ``), got.answering(200, object)}, invoice, ""},
		{"a check of a queued one", check, []exchange{checked.answering(400, `{"message":"queued"}`)}, nil, "bad request"},
		{"a cancellation", cancel, []exchange{deleted.answering(200, object)}, invoice, ""},
		{"a cancellation without a body", cancel, []exchange{deleted.answering(204, ``)}, nil, ""},
		{"a cancellation that is refused", cancel, []exchange{deleted.answering(400, `{"errors":[{"message":"SPD002"}]}`)}, nil, "bad request"},
		{"a cancellation that fails", cancel, []exchange{deleted.answering(502, ``)}, nil, "server, ambiguous"},
	})
}

func TestInvoice_missingIDShowsTheServicesWords(t *testing.T) {
	t.Parallel()
	s := newService(t, exchange{method: "POST", path: "/v1/service-invoices", body: "{}", answer: `{"errors":[{"message":"queue full","path":null}]}`})
	_, err := s.client().CreateInvoice(t.Context(), ModelService, []byte("{}"), nil)
	expect.Contains(t, err.Error(), "queue full")
}

func TestInvoiceDocument(t *testing.T) {
	t.Parallel()
	const pdf, xml = "%PDF-1.7\n\xe2\xe3\n%%EOF\n", "<?xml version=\"1.0\"?>\n<nfeProc>é</nfeProc>"
	quoted := func(s string) string { q, _ := json.Marshal(s); return string(q) }
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	const unreadable = "bad answer, ambiguous"
	for format, rows := range map[string][]answered[string]{
		"pdf": {
			{"raw PDF", 200, pdf, pdf, ""},
			{"a JSON string of base64", 200, quoted(encoded(pdf)), pdf, ""},
			{"base64 on lines", 200, quoted(encoded(pdf)[:12] + "\r\n" + encoded(pdf)[12:]), pdf, ""},
			{"base64 without quotes", 200, encoded(pdf) + "\n", pdf, ""},
			{"a JSON string of the bytes", 200, `"%PDF-1.7\n\u00e2\u00e3\n%%EOF\n"`, pdf, ""},
			{"a result wrapper", 200, `{"result":"` + encoded(pdf) + `"}`, pdf, ""},
			{"a damaged PDF", 200, `"%PDF-1.7\n\ufffd"`, "", unreadable},
			{"XML in the place of a PDF", 200, xml, "", unreadable},
			{"a link", 200, `"https://x.example/1.pdf"`, "", unreadable},
			{"an object without one", 200, `{"message":"x"}`, "", unreadable},
			{"a refusal", 400, `{"message":"not authorized yet"}`, "", "bad request"},
		},
		"xml": {
			{"raw XML", 200, xml, xml, ""},
			{"raw XML behind a byte order mark", 200, "\xef\xbb\xbf" + xml, xml, ""},
			{"a JSON string of XML", 200, quoted(xml), xml, ""},
			{"a JSON string of base64 of XML", 200, quoted(encoded(xml)), xml, ""},
			{"an error page", 200, "<!DOCTYPE html><p>no</p>", "", unreadable},
			{"null", 200, `null`, "", unreadable},
			{"nothing", 200, ``, "", unreadable},
		},
	} {
		download := exchange{method: "GET", path: "/v1/service-invoices/1/" + format, header: map[string]string{"Content-Type": "application/octet-stream"}}
		runAnswers(t, download, func(c *Client) (string, error) {
			document, err := c.InvoiceDocument(t.Context(), ModelService, "1", format)
			return string(document), err
		}, rows)
	}
}

func TestPayloadExamples(t *testing.T) {
	t.Parallel()
	get := exchange{method: "GET", path: "/v1/service-invoices/cities/3550308/payload-example"}
	read := func(c *Client) ([]PayloadExample, error) { return c.PayloadExamples(t.Context(), "3550308") }
	runAnswers(t, get, read, []answered[[]PayloadExample]{
		{
			"fields beside the provider", 200,
			`{"examples":[{"provider":"national","sourceIssuedOn":"2026-01-01","total":{"invoiceAmount":10.00},"description":"a<b"},{"description":"x"}]}`,
			[]PayloadExample{{"national", "2026-01-01", json.RawMessage(`{"description":"a<b","total":{"invoiceAmount":10.00}}`)}, {"", "", json.RawMessage(`{"description":"x"}`)}},
			"",
		},
		{"a body member", 200, `{"examples":[{"provider":null,"body":{ "a":1 }}]}`, []PayloadExample{{Body: json.RawMessage(`{ "a":1 }`)}}, ""},
		{"an example member", 200, `{"result":{"examples":[{"example":{"a":1},"other":2}]}}`, []PayloadExample{{Body: json.RawMessage(`{"a":1}`)}}, ""},
		{"an array", 200, `[{"payload":{"a":1}}]`, []PayloadExample{{Body: json.RawMessage(`{"a":1}`)}}, ""},
		{"none", 200, `{"examples":[]}`, []PayloadExample{}, ""},
		{"null", 200, `{"examples":null}`, []PayloadExample{}, ""},
		{"something else", 200, `{"message":"x"}`, nil, "bad answer, ambiguous"},
		{"no list", 200, `{"examples":{}}`, nil, "bad answer, ambiguous"},
		{"nothing", 200, ``, nil, "bad answer, ambiguous"},
	})
}

func TestInboundSyncStatus(t *testing.T) {
	t.Parallel()
	const object = `{"lastNsu":"12","lastSyncAt":"","nextAllowedSyncAt":"2026-01-01T10:00:00","lastAttemptOutcome":"upToDate","lastAttemptMessage":null,"lastAttemptAt":"x","more":1}`
	status := &SyncStatus{LastNSU: ptr(Int(12)), NextAllowedSyncAt: "2026-01-01T10:00:00", LastAttemptOutcome: "upToDate", LastAttemptAt: "x", Raw: json.RawMessage(object)}
	read := func(c *Client) (*SyncStatus, error) { return c.InboundSyncStatus(t.Context()) }
	runAnswers(t, exchange{method: "GET", path: "/v1/inbound-product-invoices/sync-status"}, read, []answered[*SyncStatus]{
		{"bare", 200, object, status, ""},
		{"below result", 200, `{"result":` + object + `}`, status, ""},
		{"a list", 200, `[]`, nil, "bad answer, ambiguous"},
		{"nothing", 200, ``, nil, "bad answer, ambiguous"},
		{"an odd field", 200, `{"lastNsu":{}}`, nil, "bad answer, ambiguous"},
		{"another object", 200, `{"id":"1","name":"another object"}`, nil, "bad answer, ambiguous"},
		{"forbidden", 403, ``, nil, "forbidden"},
	})
}

func TestCorrectInvoice(t *testing.T) {
	t.Parallel()
	post := exchange{method: "POST", path: "/v1/product-invoices/1/corrections", body: `{"letter":"o endereço correto é Rua A & B"}`}
	correct := func(c *Client) (*Correction, error) {
		return c.CorrectInvoice(t.Context(), "1", "o endereço correto é Rua A & B", nil)
	}
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	runAnswers(t, post, correct, []answered[*Correction]{
		{"the letter and the event", 200, `{"letter":"l","eventId":"e"}`, &Correction{"l", "e", raw(`{"letter":"l","eventId":"e"}`)}, ""},
		{"the letter alone", 200, `{"letter":"l"}`, &Correction{"l", "", raw(`{"letter":"l"}`)}, ""},
		{"below result", 200, `{"result":{"letter":"l","eventId":7}}`, &Correction{"l", "7", raw(`{"result":{"letter":"l","eventId":7}}`)}, ""},
		{"a text", 200, `"l"`, &Correction{Raw: raw(`"l"`)}, ""},
		{"nothing", 204, ``, &Correction{}, ""},
		{"odd fields", 200, `{"letter":{},"eventId":[]}`, &Correction{Raw: raw(`{"letter":{},"eventId":[]}`)}, ""},
	})
}

func TestServiceCities(t *testing.T) {
	t.Parallel()
	const options = `{"rps":true, "nbsCode":"", "rate":1.0}`
	s := newService(t, exchange{
		method: "GET", path: "/v1/service-invoices/cities?code=3550308&page=1&pageSize=100&state=SP",
		answer: `{"hasNext":false,"items":[` +
			`{"id":"1","code":3550308,"name":"São Paulo","state":"SP","provider":{"name":"p","options":` + options + `},"nationalServiceInvoiceRegimes":["mei","simplesNacional"]},` +
			`{"id":"2","code":"1721000","provider":{"name":"national"},"nationalServiceInvoiceRegimes":"mei, regimeNormal"},` +
			`{"id":"3","provider":null,"nationalServiceInvoiceRegimes":null},` +
			`{"id":"4","provider":{"name":"","options":[]},"nationalServiceInvoiceRegimes":[]}]}`,
	})
	got, err := all(s.client().ServiceCities(t.Context(), "3550308", "sp"))
	wantKind(t, err, "")
	for _, v := range got {
		v.Raw = nil
	}
	want := []*ServiceCity{
		{
			ID: "1", Code: "3550308", Name: "São Paulo", State: "SP", Provider: &CityProvider{Name: "p", Options: json.RawMessage(options)},
			NationalRegimes: Regimes{"mei", "simplesNacional"},
		},
		{ID: "2", Code: "1721000", Provider: &CityProvider{Name: "national"}, NationalRegimes: Regimes{"mei", "regimeNormal"}},
		{ID: "3"},
		{ID: "4", Provider: &CityProvider{}, NationalRegimes: Regimes{}},
	}
	wantSame(t, want, got)
}

func TestDisablements(t *testing.T) {
	t.Parallel()
	const first = "/v1/product-invoices/disablements?endDate=e&page=1&pageSize=100&startDate=s&status=registered"
	s := newService(t,
		exchange{method: "GET", path: first, answer: `{"hasNext":true,"items":[{"id":"1","identifier":"ID","date":"d","initialNumber":"10","finalNumber":12.0,"series":1,"reason":"r",` +
			`"protocolNumber":135,"status":"registered","environment":0,"messageCode":102,"messageText":"ok"}]}`},
		exchange{method: "GET", path: "/v1/product-invoices/disablements?endDate=e&page=2&pageSize=100&startDate=s&status=registered", answer: `{"hasNext":false,"items":[{"id":"2"}]}`},
	)
	got, err := all(s.client().Disablements(t.Context(), ModelProduct, DisablementFilter{StartDate: "s", EndDate: "e", Status: "registered"}))
	wantKind(t, err, "")
	for _, v := range got {
		v.Raw = nil
	}
	want := []*Disablement{
		{
			ID: "1", Identifier: "ID", Date: "d", InitialNumber: ptr(Int(10)), FinalNumber: ptr(Int(12)), Series: "1", Reason: "r", ProtocolNumber: "135",
			Status: "registered", MessageCode: "102", MessageText: "ok",
		},
		{ID: "2"},
	}
	wantSame(t, want, got)
}

func TestInboundDocument_ofBothModels(t *testing.T) {
	t.Parallel()
	const xml, pdf = `<nfeProc a="1">ção</nfeProc>`, "%PDF-1.4\nx"
	download := func(model, format string) func(*Client) (string, error) {
		return func(c *Client) (string, error) {
			document, err := c.InboundDocument(t.Context(), model, "1", format)
			return string(document), err
		}
	}
	// The forms that a document comes in are those of an issued invoice's.
	runOperations(t, []operation[string]{
		{"the XML of an NF-e", download(ModelProduct, "xml"), []exchange{{method: "GET", path: "/v1/inbound-product-invoices/1/xml", answer: xml}}, xml, ""},
		{"the PDF of an NFS-e", download(ModelService, "pdf"), []exchange{{method: "GET", path: "/v1/inbound-service-invoices/1/pdf", answer: pdf}}, pdf, ""},
		{"another format", download(ModelProduct, "html"), nil, "", "not sent"},
		{"another model", download(ModelConsumer, "xml"), nil, "", "not sent"},
	})
}

func TestSyncInbound(t *testing.T) {
	t.Parallel()
	sync := nothing(func(c *Client) error { return c.SyncInbound(t.Context()) })
	runAnswers(t, exchange{method: "POST", path: "/v1/inbound-product-invoices/sync"}, sync, []answered[any]{
		{"OK as a JSON string", 200, `"OK"`, nil, ""},
		{"OK as plain text", 200, `OK`, nil, ""},
		{"nothing", 202, ``, nil, ""},
	})
}

func TestSyncInbound_reportsTheIntervalInsteadOfWaitingForIt(t *testing.T) {
	t.Parallel()
	refused := exchange{method: "POST", path: "/v1/inbound-product-invoices/sync", status: 429}
	for name, e := range map[string]exchange{
		"in the header":                    {header: map[string]string{"Retry-After": "30"}},
		"in the body":                      {answer: `{"retryAfterSeconds":30,"nextAllowedSyncAt":"2026-11-21T10:00:00-03:00"}`},
		"beside requests left for the key": {header: map[string]string{"x-rate-limit-remaining": "12"}, answer: `{"retryAfterSeconds":30}`},
	} {
		rows.Case(t, name, func(t *testing.T) {
			e.method, e.path, e.status = refused.method, refused.path, refused.status
			c := newService(t, e).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			err := c.SyncInbound(t.Context())
			var failure *Error
			if !errors.Is(err, ErrRateLimited) || !errors.As(err, &failure) || failure.RetryAfter != 30*time.Second {
				t.Errorf("%v, want a refusal for 30 seconds", err)
			}
		})
	}
}

func TestManifestInbound(t *testing.T) {
	t.Parallel()
	manifest := func(justification string) func(*Client) (*InboundInvoice, error) {
		return func(c *Client) (*InboundInvoice, error) {
			return c.ManifestInbound(t.Context(), "1", ManifestConfirmed, justification, nil)
		}
	}
	post := exchange{method: "POST", path: "/v1/inbound-product-invoices/1/manifest", body: `{"status":"confirmed"}`}
	justified := post
	justified.body = `{"justification":"not bought by us","status":"confirmed"}`
	const object = `{"id":"1","manifestation":{"status":"confirmed"}}`
	invoice := &InboundInvoice{ID: "1", Manifestation: &Manifestation{Status: "confirmed"}, Raw: json.RawMessage(object)}
	runOperations(t, []operation[*InboundInvoice]{
		{"the invoice", manifest(""), []exchange{post.answering(200, object)}, invoice, ""},
		{"with a justification", manifest("not bought by us"), []exchange{justified.answering(200, `{"result":`+object+`}`)}, invoice, ""},
		{"nothing", manifest(""), []exchange{post.answering(204, ``)}, nil, ""},
	})
}

func TestSameTime_comparesInstants(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		A, B Text
		Want bool
	}](t, "same_time_compares_instants.json") {
		expect.Is(t, SameTime(test.A, test.B), test.Want, "%q and %q", test.A, test.B)
	}
}

func TestOrder_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","transactionId":"t-1","invoices":[]}`
	order := &Order{ID: "1", TransactionID: "t-1", Invoices: []*Invoice{}, Raw: json.RawMessage(object)}
	create := func(c *Client) (*Order, error) {
		return c.CreateOrder(t.Context(), Order{
			TransactionID: "t-1", Amount: ptr(Number(10.5)), SendEmailToCustomer: ptr(Flag(false)), AutoIssueMode: IssueAfterWarranty,
			Customer: &Customer{Name: "Maria"}, Items: []OrderItem{{Quantity: ptr(Number(1)), Product: &Product{Code: "C1"}}},
		}, json.RawMessage(`{"amount":1,"transport":{"carrier":"X"}}`), nil)
	}
	read := func(c *Client) (*Order, error) { return c.Order(t.Context(), "1", "t-1") }
	setStatus := func(c *Client) (*Order, error) { return c.SetOrderStatus(t.Context(), "1", OrderApproved, nil) }
	issue := func(c *Client) (*Order, error) { return nil, c.IssueOrderInvoices(t.Context(), "1", "", nil) }
	issueOn := func(c *Client) (*Order, error) {
		return nil, c.IssueOrderInvoices(t.Context(), "1", "2026-03-10T09:00:00-03:00", nil)
	}
	present := exchange{method: "GET", path: "/v1/customers?pageSize=1"}
	posted := exchange{method: "POST", path: "/v1/orders", body: `{"amount":10.5,"autoIssueMode":"afterWarrency","customer":{"name":"Maria"},` +
		`"items":[{"product":{"code":"C1"},"quantity":1}],"sendEmailToCustomer":false,"transactionId":"t-1","transport":{"carrier":"X"}}`}
	got := exchange{method: "GET", path: "/v1/orders/1"}
	invoice := exchange{method: "GET", path: "/v1/service-invoices/2"}
	answered := func(object string) *Invoice {
		v := &Invoice{Raw: json.RawMessage(object)}
		must(t, json.Unmarshal(v.Raw, v))
		return v
	}
	listed := exchange{method: "GET", path: "/v1/orders?page=1&pageSize=100&transactionId=t-1"}
	changed := exchange{method: "PUT", path: "/v1/orders/1/status", body: `{"status":"approved"}`}
	issued := exchange{method: "POST", path: "/v1/orders/1/invoices/issue"}
	issuedOn := exchange{method: "POST", path: "/v1/orders/1/invoices/issue", body: `{"effectiveDate":"2026-03-10T09:00:00-03:00"}`}
	runOperations(t, []operation[*Order]{
		{"a creation, whose own fields win over the extra ones", create, []exchange{posted.answering(200, object)}, order, ""},
		{"a creation that is answered with its invoice", create, []exchange{
			posted.answering(200, `{"id":"2","model":"serviceInvoice","order":{"id":"1","transactionId":"t-1","date":"2026-03-10"},"receiver":{"federalTaxNumber":"52998224725"}}`),
		}, &Order{
			ID: "1", TransactionID: "t-1", Date: "2026-03-10", Customer: &Customer{FederalTaxNumber: "52998224725"},
			Invoices: []*Invoice{answered(`{"id":"2","model":"serviceInvoice","order":{"id":"1","transactionId":"t-1","date":"2026-03-10"},"receiver":{"federalTaxNumber":"52998224725"}}`)},
		}, ""},
		{"a creation that is answered with an invoice whose read names the order", create, []exchange{
			posted.answering(200, `{"id":"2","model":"serviceInvoice"}`), invoice.answering(200, `{"id":"2","model":"serviceInvoice","order":{"id":"1"}}`),
		}, &Order{ID: "1", Invoices: []*Invoice{answered(`{"id":"2","model":"serviceInvoice","order":{"id":"1"}}`)}}, ""},
		{"a creation that is answered with an invoice that does not name it", create, []exchange{
			posted.answering(200, `{"id":"2","accessKey":"k"}`),
		}, nil, "bad answer, order unnamed, ambiguous"},
		{"a read", read, []exchange{got.answering(200, object)}, order, ""},
		{"a read by the list", read, []exchange{got.answering(405, ``), listed.answering(200, `{"items":[{"id":"0"},`+object+`],"hasNext":false}`)}, order, ""},
		{"a read of what is gone", read, []exchange{got.answering(404, ``), listed.answering(200, `{"items":[],"hasNext":false}`)}, nil, "not found"},
		{"a read by the list of what is gone", read, []exchange{got.answering(405, ``), listed.answering(200, `{"items":[{"id":"0"}],"hasNext":false}`)}, nil, "not found, method not allowed"},
		{"a read without a list", read, []exchange{got.answering(404, ``), listed.answering(405, ``), present.answering(200, `[]`), listed.answering(405, ``)}, nil, "missing"},
		{"a read without a list, with a branch's key", read, []exchange{got.answering(405, ``), listed.answering(404, ``), present.answering(403, ``), listed.answering(404, ``)}, nil, "missing"},
		{"a read whose list a gateway does not find", read, []exchange{
			got.answering(404, ``), listed.answering(404, ``), present.answering(200, `[]`), listed.answering(200, `[]`),
		}, nil, "unproven"},
		{"a read at a wrong address", read, []exchange{got.answering(404, ``), listed.answering(404, ``), present.answering(404, ``)}, nil, "unproven"},
		{"a read whose list fails", read, []exchange{got.answering(404, ``), listed.answering(403, ``)}, nil, "forbidden"},
		{"a change of status", setStatus, []exchange{changed.answering(200, object)}, order, ""},
		{"issuing", issue, []exchange{issued.answering(200, ``)}, nil, ""},
		{"issuing on a date", issueOn, []exchange{issuedOn.answering(200, `{"success":true}`)}, nil, ""},
		{"issuing that is refused", issue, []exchange{issued.answering(200, `{"success":false}`)}, nil, "not successful"},
	})
}

func TestOrder_looksForTheInvoicesThatItDoesNotShow(t *testing.T) {
	t.Parallel()
	list := func(model string, status int, answer string) exchange {
		return exchange{method: "GET", path: "/v1/" + model + "-invoices?page=1&pageSize=100&transactionId=t-1", status: status, answer: answer}
	}
	const (
		products = `{"items":[{"id":"a","order":{"id":"2","transactionId":"t-1"}},{"id":"b","order":{"transactionId":"t-2"}},{"id":"c"},` +
			`{"id":"d","status":"authorized","order":{"transactionId":"t-1"}}],"hasNext":false}`
		services = `{"items":[{"id":"e","model":"serviceInvoice","status":"rejected","order":{"id":"1"}}],"hasNext":false}`
	)
	for name, shown := range rows.Read[map[string]string](t, "order_looks_for_the_invoices_that_it_does_not_show.json") {
		rows.Case(t, name, func(t *testing.T) {
			got := exchange{method: "GET", path: "/v1/orders/1", status: 200, answer: shown}
			order, err := newService(t, got, list("product", 200, products), list("consumer", 405, ``), list("service", 200, services)).client().Order(t.Context(), "1", "t-1")
			must(t, err)
			var found []string
			for _, v := range order.Invoices {
				found = append(found, string(v.ID)+" "+string(v.Model)+" "+string(v.Status))
			}
			wantSame(t, []string{"d productInvoice authorized", "e serviceInvoice rejected"}, found)
		})
	}
	rows.Case(t, "a list that fails is an error", func(t *testing.T) {
		got := exchange{method: "GET", path: "/v1/orders/1", status: 200, answer: `{"id":"1","transactionId":"t-1"}`}
		if _, err := newService(t, got, list("product", 403, ``)).client().Order(t.Context(), "1", "t-1"); !errors.Is(err, ErrForbidden) {
			t.Errorf("got %v", err)
		}
	})
}

// An order that is listed without its invoices is read by id: nobody knows what became of them.
func TestRefreshOrder_sharesTheListOfOrders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		opts  sandbox.Options
		known bool
		byID  int
		lists int
	}{
		{name: "as known", known: true, byID: 1, lists: 1},
		{name: "otherwise", byID: 20, lists: 1},
		{name: "without invoices", opts: sandbox.Options{OrdersWithoutInvoices: true}, known: true, byID: 20, lists: 1},
	} {
		rows.Case(t, tt.name, func(t *testing.T) {
			s := sandbox.Start(t, tt.opts)
			c := ownerOf(t, s)
			for i := range 20 {
				s.Seed(sandbox.KindOrders, map[string]any{"transactionId": strconv.Itoa(i)})
			}
			for _, object := range s.Objects(sandbox.KindOrders) {
				v, err := c.RefreshOrder(t.Context(), object["id"].(string), "", func(*Order) bool { return tt.known })
				if err != nil || string(v.TransactionID) != object["transactionId"] {
					t.Errorf("read as %+v, %v", v, err)
				}
			}
			if byID, lists := s.Count("GET", "/v1/orders/{id}"), s.Count("GET", "/v1/orders"); byID != tt.byID || lists != tt.lists {
				t.Errorf("%d reads by id, %d pages", byID, lists)
			}
		})
	}
}

func TestRefreshOrder_looksInTheListAsOrderDoes(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{method: "GET", path: "/v1/orders/1", status: 404},
		exchange{method: "GET", path: "/v1/orders?page=1&pageSize=100&transactionId=t-1", answer: `[{"id":"1","transactionId":"t-1","invoices":[]}]`})
	if v, err := s.client().RefreshOrder(t.Context(), "1", "t-1", func(*Order) bool { return false }); err != nil || v.ID != "1" {
		t.Errorf("read as %+v, %v", v, err)
	}
}
