package einvoice

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
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
			document, err := c.InvoiceDocument(t.Context(), ModelService, "1", format, "")
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
	listed := exchange{method: "GET", path: "/v1/orders?endDate=2099-12-31&initialDate=2000-01-01&page=1&pageSize=100&transactionId=t-1"}
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
		exchange{method: "GET", path: "/v1/orders?endDate=2099-12-31&initialDate=2000-01-01&page=1&pageSize=100&transactionId=t-1", answer: `[{"id":"1","transactionId":"t-1","invoices":[]}]`})
	if v, err := s.client().RefreshOrder(t.Context(), "1", "t-1", func(*Order) bool { return false }); err != nil || v.ID != "1" {
		t.Errorf("read as %+v, %v", v, err)
	}
}

func TestCompany_keys(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{
			method: "POST", path: "/v1/companies",
			body:   `{"economicActivities":[{"code":"6201501","type":"main"}],"federalTaxNumber":"191","name":"n","taxRegime":"regimeNormal"}`,
			answer: `{"id":"1","name":"n","taxRegime":"regimeNormal","apiCredentials":{"apiKey":"abcd-efgh"}}`,
		},
		exchange{method: "GET", path: "/v1/companies/1", answer: `{"id":"1","taxRegime":0,"economicActivities":[{"code":6201501,"type":"main","isMain":true}],"apiCredentials":{"apiKey":"abcd****"}}`},
		exchange{method: "GET", path: "/v1/companies?page=1&pageSize=100", answer: `{"items":[{"id":"1","apiCredentials":null}],"hasNext":false}`},
	)
	c, ctx := s.client(), t.Context()
	in := Company{Name: "n", FederalTaxNumber: "191", TaxRegime: "regimeNormal", EconomicActivities: []EconomicActivity{{Code: "6201501", Type: "main"}}, APIKey: "not sent"}
	v, err := c.CreateCompany(ctx, in, nil)
	if err != nil || v.APIKey != "abcd-efgh" || IsMasked(v.APIKey) {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = c.Company(ctx, "1")
	if err != nil || v.APIKey != "abcd****" || !IsMasked(v.APIKey) || v.TaxRegime != "" || v.EconomicActivities[0].Code != "6201501" {
		t.Errorf("%+v, %v", v, err)
	}
	for v, err := range c.Companies(ctx) {
		if err != nil || v.APIKey != "" {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

func TestCompany_updateSendsTheWholeRecord(t *testing.T) {
	t.Parallel()
	const held = `{"id":"1","name":"old","email":"old@x.example","phone":"11999999999","taxRegime":"regimeNormal","foreign":{"a":10.00},"nothing":null,
		"address":{"street":"old","number":"1","floor":3,"city":{"code":"3550308","name":"São Paulo","state":"sp"}},
		"economicActivities":[{"code":"1","type":"main"},{"code":"2","type":"secondary"}],"apiCredentials":{"apiKey":"abcd****"}}`
	const sent = `{"added":true,"address":{"city":{"name":"Santos","state":"SP"},"floor":3,"number":null,"street":"s"},"economicActivities":[{"code":"3","type":"main"}],"email":null,"foreign":{"a":10.00,"b":2},"id":"1","name":"new","nothing":null,"phone":"11999999999","taxRegime":"regimeNormal"}`
	next := Company{ID: "1", Name: "new", Address: &Address{Street: "s", City: &City{Name: "Santos", State: "SP"}}, EconomicActivities: []EconomicActivity{{Code: "3", Type: "main"}}}
	prior := Company{ID: "1", Name: "old", Email: "old@x.example", Address: &Address{Street: "old", Number: "1", City: &City{Code: "3550308"}}}
	s := newService(t,
		exchange{method: "GET", path: "/v1/companies/1", answer: held},
		exchange{method: "PUT", path: "/v1/companies/1", body: sent, answer: sent},
	)
	v, err := s.client().UpdateCompany(t.Context(), "1", next, prior, []byte(`{"foreign":{"b":2},"added":true}`))
	if err != nil || v.Name != "new" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestCompany_updateFailures(t *testing.T) {
	t.Parallel()
	read := exchange{method: "GET", path: "/v1/companies/1", answer: `{"id":"1"}`}
	put := exchange{method: "PUT", path: "/v1/companies/1", body: `{"id":"1","name":"n"}`}
	update := nothing(func(c *Client) error {
		return errorOf(c.UpdateCompany(t.Context(), "1", Company{Name: "n"}, Company{}, nil))
	})
	runOperations(t, []operation[any]{
		{"the record cannot be read", update, []exchange{read.answering(500, ``)}, nil, "server, ambiguous"},
		{"the record is not taken from the list", update, []exchange{read.answering(404, ``)}, nil, "not found"},
		{"the record is no object", update, []exchange{read.answering(200, `[]`)}, nil, "bad answer, ambiguous"},
		{"the service refuses", update, []exchange{read, put.answering(400, ``)}, nil, "bad request"},
		{"the answer shows nothing, and so it is read", update, []exchange{read, put.answering(200, `{"success":true}`), read}, nil, ""},
	})
}

func TestSettings_read(t *testing.T) {
	t.Parallel()
	const document = `{"general":{"decimalPrecision":2.00, "technicalResponsible":{"email":"a<b"}},"productInvoice":null,"future":{"x":[1]},"companyId":"1"}`
	settings := &Settings{
		Raw: json.RawMessage(document),
		Blocks: map[string]SettingsBlock{
			"general": {"decimalPrecision": json.RawMessage(`2.00`), "technicalResponsible": json.RawMessage(`{"email":"a<b"}`)},
			"future":  {"x": json.RawMessage(`[1]`)},
		},
	}
	empty := func(raw string) *Settings {
		return &Settings{Raw: json.RawMessage(raw), Blocks: map[string]SettingsBlock{}}
	}
	read := func(c *Client) (*Settings, error) { return c.CompanySettings(t.Context(), "1") }
	runAnswers(t, exchange{method: "GET", path: "/v1/companies/1/settings"}, read, []answered[*Settings]{
		{"bare", 200, document, settings, ""},
		{"below result", 200, `{"result":` + document + `}`, settings, ""},
		{"below data", 200, `{"data":` + document + `}`, settings, ""},
		{"a block that is null", 200, `{"general":null}`, empty(`{"general":null}`), ""},
		{"no block", 200, `{}`, empty(`{}`), ""},
		{"a list", 200, `[]`, nil, "bad answer, ambiguous"},
		{"null", 200, `null`, nil, "bad answer, ambiguous"},
		{"another company's", 200, `{"general":{},"companyId":"2"}`, nil, "bad answer, ambiguous"},
		{"another object", 200, `{"id":"1","name":"a company"}`, nil, "bad answer, ambiguous"},
	})
}

func TestSettings_putSendsEachByte(t *testing.T) {
	t.Parallel()
	const body = `{"general":{"decimalPrecision":2.00,"technicalResponsible":{ "email" : "a<b&c" }},"näxt":{}}`
	blocks := map[string]SettingsBlock{
		"general": {"decimalPrecision": json.RawMessage(`2.00`), "technicalResponsible": json.RawMessage(`{ "email" : "a<b&c" }`)},
		"näxt":    {},
	}
	put := nothing(func(c *Client) error {
		return c.RewriteSettings(t.Context(), "1", func(*Settings) (map[string]SettingsBlock, error) { return blocks, nil })
	})
	read := exchange{method: "GET", path: "/v1/companies/1/settings", answer: `{}`}
	raised := nothing(func(c *Client) error {
		return c.RewriteSettings(t.Context(), "1", func(*Settings) (map[string]SettingsBlock, error) {
			return map[string]SettingsBlock{ModelConsumer: {"nextNumber": json.RawMessage(`5`)}}, nil
		})
	})
	// under is a write of the next number by the name that a block shows.
	under := func(shown, name string) []exchange {
		return []exchange{
			{method: "GET", path: "/v1/companies/1/settings", answer: `{"consumerInvoice":` + shown + `}`},
			{method: "PUT", path: "/v1/companies/1/settings", body: `{"consumerInvoice":{"` + name + `":5}}`, answer: `{}`},
		}
	}
	write := exchange{method: "PUT", path: "/v1/companies/1/settings", body: body}.answering
	runOperations(t, []operation[any]{
		{"a block", put, []exchange{read, write(200, `{"general":{}}`)}, nil, ""},
		{"success", put, []exchange{read, write(200, `{"success":true}`)}, nil, ""},
		{"a text", put, []exchange{read, write(200, `"saved"`)}, nil, ""},
		{"nothing", put, []exchange{read, write(204, ``)}, nil, ""},
		{"not successful", put, []exchange{read, write(200, `{"success":"false"}`)}, nil, "not successful"},
		{"a current number", raised, under(`{"currentNumber":1}`, "currentNumber"), nil, ""},
		{"a current number of a new company", raised, under(`{"currentNumber":null}`, "currentNumber"), nil, ""},
		{"a next number of a new company", raised, under(`{"nextNumber":null,"currentNumber":null}`, "nextNumber"), nil, ""},
		{"neither number", raised, under(`{}`, "nextNumber"), nil, ""},
	})
}

// upload is what came with one request.
type upload struct{ file, password string }

// uploading is a client of a service that answers every upload alike, and what comes there.
func uploading(t *testing.T, code int, answer string) (*Client, *[]upload) {
	t.Helper()
	var came []upload
	c := wired(t, func(r *http.Request) (*http.Response, error) {
		if r.Method != "POST" || r.URL.Path != "/v1/companies/c1/certificates" {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		file, _, err := r.FormFile("certificateFile") // Of a part without a file name, which many services take for text, it finds nothing.
		must(t, err)
		content, err := io.ReadAll(file)
		must(t, err)
		if len(r.MultipartForm.File) != 1 || len(r.MultipartForm.Value) != 1 {
			t.Errorf("there are other parts: %v", r.MultipartForm)
		}
		came = append(came, upload{string(content), r.FormValue("password")})
		return status(code, answer)(r)
	}, func(cfg *Config) { cfg.MaxRetries = 5 })
	return c, &came
}

const uploadedCertificate = `{"id":"1","subject":"CN=A","issuer":"CN=B","expirationAt":"2027-01-02T03:04:05Z","isActive":true}`

func TestUploadCertificate_sendsTheFileAndThePassword(t *testing.T) {
	t.Parallel()
	pfx := "\x30\x82\x00\xff--boundary\r\n\"" // No byte of it may be taken for something else.
	want := &Certificate{
		ID: "1", Subject: "CN=A", Issuer: "CN=B", ExpirationAt: "2027-01-02T03:04:05Z", IsActive: ptr(Flag(true)), Raw: json.RawMessage(uploadedCertificate),
	}
	for name, tt := range map[string]struct {
		answer string
		want   *Certificate
		kind   string
	}{
		"the certificate": {`{"result":` + uploadedCertificate + `}`, want, ""},
		"success, no id":  {`{"success":true}`, nil, "bad answer, ambiguous"},
	} {
		rows.Case(t, name, func(t *testing.T) {
			c, came := uploading(t, 200, tt.answer)
			got, err := c.UploadCertificate(t.Context(), "c1", []byte(pfx), "pass word&ç")
			wantKind(t, err, tt.kind)
			if len(*came) != 1 || (*came)[0] != (upload{pfx, "pass word&ç"}) {
				t.Errorf("%q came", *came)
			}
			wantSame(t, tt.want, got)
		})
	}
}

func TestUploadCertificate_isNotRepeatedAndQuotesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Password string
		Status         int
		Answer         string
		Kind           string
	}](t, "upload_certificate_is_not_repeated_and_quotes_nothing.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			pfx := []byte("a certificate of some length")
			encoded := base64.StdEncoding.EncodeToString(pfx)
			c, came := uploading(t, tt.Status, strings.ReplaceAll(tt.Answer, "FILE", encoded))
			_, err := c.UploadCertificate(t.Context(), "c1", pfx, tt.Password)
			wantKind(t, err, tt.Kind)
			expect.Is(t, len(*came), 1, "uploads")
			for _, secret := range []string{tt.Password, encoded} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows %q: %v", secret, err)
				}
			}
			expect.Contains(t, err.Error(), "(secret)")
		})
	}
}

func TestWithoutSecret_leavesWordsAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Secret, Text, Want string }](t, "without_secret_leaves_words_alone.json") {
		expect.Is(t, withoutSecret(tt.Text, tt.Secret), tt.Want, "%q without %q", tt.Text, tt.Secret)
	}
}

func TestIsCertificateRegistered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  *Error
		said string
		want bool
	}{
		{&Error{Status: 400}, "The certificate is already registered.", true},
		{&Error{Status: 422}, "Certificate has already been uploaded", true},
		{&Error{Status: 400}, "O certificado já está cadastrado", true},
		{&Error{Status: 400}, "Certificado ja cadastrado", true},
		{&Error{Status: 409}, "already exists", true},
		{&Error{Status: 200, Err: ErrNotSuccessful}, "already registered", true},
		{&Error{Status: 400}, "The certificate has already expired", false},
		{&Error{Status: 400}, "The certificate belongs to another company", false},
		{&Error{Status: 500}, "already registered", false},
	} {
		inMessage, inText := *tt.err, *tt.err
		inMessage.Messages, inText.Text = []FieldMessage{{tt.said, ""}}, tt.said
		if IsCertificateRegistered(&inMessage) != tt.want || IsCertificateRegistered(&inText) != tt.want {
			t.Errorf("%v: want %t", &inText, tt.want)
		}
	}
	if IsCertificateRegistered(nil) {
		t.Error("no error is one")
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	list := func(c *Client) ([]*Certificate, error) { return all(c.Certificates(t.Context(), "c1")) }
	runAnswers(t, exchange{method: "GET", path: "/v1/companies/c1/certificates?page=1&pageSize=100"}, list, []answered[[]*Certificate]{
		{"two", 200, `[{"id":"1"},{"id":"2"}]`, []*Certificate{{ID: "1", Raw: json.RawMessage(`{"id":"1"}`)}, {ID: "2", Raw: json.RawMessage(`{"id":"2"}`)}}, ""},
		{"one that could be any", 200, `[{"isActive":true}]`, nil, "bad answer, ambiguous"},
	})
}

// What stays the same of a certificate tells it from the others: not its spelling, nor what changes.
func TestCertificates_haveAnIDThatTheServiceDoesNotGive(t *testing.T) {
	t.Parallel()
	const one = `"subject":"CN=A","expirationAt":"2027-01-02T03:04:05Z"`
	c, _ := played(t, 0, status(200, `[{`+one+`},{"id":"","subject":"CN=A","expirationAt":"2027-01-02T00:04:05-03:00","isActive":false},
		{"id":null,"subject":"CN=A","expirationAt":"2028-01-02T03:04:05Z"},{"subject":"CN=B"}]`))
	listed, err := all(c.Certificates(t.Context(), "c1"))
	must(t, err)
	ids := map[Text]int{}
	for _, v := range listed {
		ids[v.ID]++
	}
	if len(ids) != 3 || ids[listed[0].ID] != 2 || ids[""] > 0 {
		t.Errorf("the ids are %v", ids)
	}
}
