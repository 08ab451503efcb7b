package einvoice

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

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
