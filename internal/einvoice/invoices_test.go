package einvoice

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
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
	if !strings.Contains(err.Error(), "queue full") {
		t.Errorf("%v", err)
	}
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
