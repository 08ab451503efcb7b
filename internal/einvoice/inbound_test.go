package einvoice

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestInboundInvoice_readsBothModels(t *testing.T) {
	t.Parallel()
	const (
		product = `{"id":"1","model":"productInvoice","environmentType":"production","accessKey":"k","nsu":"9","isComplete":false,"status":"authorized","issuedOn":"d","amount":"10.5",` +
			`"operationType":"outgoing","issuer":{"name":"n","legalName":"l","federalTaxNumber":1},"manifestation":{"status":"confirmed","date":"d","justification":"j","protocol":135},` +
			`"creationTime":"c","lastModificationTime":null}`
		service = `{"id":"1","environmentType":0,"manifestation":{"status":"rejected","reasonCode":3}}`
	)
	read := func(model string) func(*Client) (*InboundInvoice, error) {
		return func(c *Client) (*InboundInvoice, error) { return c.InboundInvoice(t.Context(), model, "1") }
	}
	got := exchange{method: "GET", path: "/v1/inbound-product-invoices/1"}.answering
	gotService := exchange{method: "GET", path: "/v1/inbound-service-invoices/1"}.answering
	runOperations(t, []operation[*InboundInvoice]{
		{"an NF-e", read(ModelProduct), []exchange{got(200, product)}, &InboundInvoice{
			ID: "1", Model: ModelProduct, EnvironmentType: "production", AccessKey: "k", NSU: ptr(Int(9)), IsComplete: ptr(Flag(false)), Status: "authorized", IssuedOn: "d",
			Amount: ptr(Number(10.5)), OperationType: "outgoing", Issuer: &InvoiceCompany{Name: "n", LegalName: "l", FederalTaxNumber: "1"},
			Manifestation: &Manifestation{Status: "confirmed", Date: "d", Justification: "j", Protocol: "135"}, CreationTime: "c", Raw: json.RawMessage(product),
		}, ""},
		{"an NFS-e, wrapped", read(ModelService), []exchange{gotService(200, `{"result":`+service+`}`)}, &InboundInvoice{
			ID: "1", Manifestation: &Manifestation{Status: "rejected", ReasonCode: "3"}, Raw: json.RawMessage(service),
		}, ""},
		{"unknown", read(ModelProduct), []exchange{got(404, ``)}, nil, "not found"},
		{"a model that is not received", read(ModelConsumer), nil, nil, "not sent"},
	})
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
			return c.ManifestInbound(t.Context(), "1", ManifestConfirmed, justification)
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
