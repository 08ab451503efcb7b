package einvoice

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestInboundInvoice_decodesBothModels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, model, path, answer string
		want                      *InboundInvoice
	}{
		{
			"an NF-e", ModelProduct, "/v1/inbound-product-invoices/1",
			`{"id":"1","model":"productInvoice","environmentType":"production","accessKey":"k","nsu":"9","isComplete":false,"status":"authorized","issuedOn":"d","amount":"10.5",` +
				`"operationType":"outgoing","issuer":{"name":"n","legalName":"l","federalTaxNumber":1},"manifestation":{"status":"confirmed","date":"d","justification":"j","protocol":135},` +
				`"creationTime":"c","lastModificationTime":null}`,
			&InboundInvoice{
				ID: "1", Model: ModelProduct, EnvironmentType: "production", AccessKey: "k", NSU: ptr(Int(9)), IsComplete: ptr(Flag(false)), Status: "authorized", IssuedOn: "d",
				Amount: ptr(Number(10.5)), OperationType: "outgoing", Issuer: &InvoiceCompany{Name: "n", LegalName: "l", FederalTaxNumber: "1"},
				Manifestation: &Manifestation{Status: "confirmed", Date: "d", Justification: "j", Protocol: "135"}, CreationTime: "c",
			},
		},
		{
			"an NFS-e, wrapped", ModelService, "/v1/inbound-service-invoices/1",
			`{"result":{"id":"1","environmentType":0,"manifestation":{"status":"rejected","reasonCode":3}}}`,
			&InboundInvoice{ID: "1", Manifestation: &Manifestation{Status: "rejected", ReasonCode: "3"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := newService(t, exchange{method: "GET", path: tt.path, answer: tt.answer}).client().InboundInvoice(t.Context(), tt.model, "1")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got.Raw), `"manifestation"`) {
				t.Errorf("raw %s", got.Raw)
			}
			got.Raw = nil
			wantSame(t, tt.want, got)
		})
	}
}

func TestInboundInvoice_failures(t *testing.T) {
	t.Parallel()
	read := exchange{method: "GET", path: "/v1/inbound-product-invoices/1"}
	for _, tt := range []struct {
		name, model, id string
		status          int
		answer, kind    string
	}{
		{"unknown", ModelProduct, "1", 404, ``, "not found"},
		{"no object", ModelProduct, "1", 200, `[]`, "bad answer, ambiguous"},
		{"an odd object", ModelProduct, "1", 200, `{"id":"1","issuer":"x"}`, "bad answer, ambiguous"},
		{"no id", ModelProduct, "", 0, ``, "not sent"},
		{"a model that is not received", ModelConsumer, "1", 0, ``, "not sent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var script []exchange
			if tt.status != 0 {
				script = append(script, read.answering(tt.status, tt.answer))
			}
			_, err := newService(t, script...).client().InboundInvoice(t.Context(), tt.model, tt.id)
			wantKind(t, err, tt.kind)
		})
	}
}

func TestInboundDocument_inEveryForm(t *testing.T) {
	t.Parallel()
	const xml, pdf = `<nfeProc a="1">ção</nfeProc>`, "%PDF-1.4\nx"
	encode := base64.StdEncoding.EncodeToString
	for _, tt := range []struct{ name, model, format, path, answer, want, kind string }{
		{"an XML as a JSON string", ModelProduct, "xml", "/v1/inbound-product-invoices/1/xml", `"<nfeProc a=\"1\">ção</nfeProc>"`, xml, ""},
		{"an XML in base64", ModelService, "xml", "/v1/inbound-service-invoices/1/xml", `"` + encode([]byte(xml)) + `"`, xml, ""},
		{"a raw XML", ModelProduct, "xml", "/v1/inbound-product-invoices/1/xml", xml, xml, ""},
		{"a raw PDF", ModelService, "pdf", "/v1/inbound-service-invoices/1/pdf", pdf, pdf, ""},
		{"a PDF in base64, not quoted", ModelProduct, "pdf", "/v1/inbound-product-invoices/1/pdf", encode([]byte(pdf)), pdf, ""},
		{"what is no document", ModelProduct, "pdf", "/v1/inbound-product-invoices/1/pdf", `"no"`, "", "bad answer, ambiguous"},
		{"nothing", ModelProduct, "xml", "/v1/inbound-product-invoices/1/xml", ``, "", "bad answer, ambiguous"},
		{"another format", ModelProduct, "html", "", ``, "", "not sent"},
		{"another model", ModelConsumer, "xml", "", ``, "", "not sent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var script []exchange
			if tt.path != "" {
				script = append(script, exchange{method: "GET", path: tt.path, answer: tt.answer})
			}
			got, err := newService(t, script...).client().InboundDocument(t.Context(), tt.model, "1", tt.format)
			if k := kinds(err); k != tt.kind || string(got) != tt.want {
				t.Errorf("%q, %v is %s; want %q, %s", got, err, k, tt.want, tt.kind)
			}
		})
	}
}

func TestSyncInbound(t *testing.T) {
	t.Parallel()
	post := exchange{method: "POST", path: "/v1/inbound-product-invoices/sync"}
	for _, tt := range []struct {
		name, answer string
		status       int
		kind         string
	}{
		{"OK as a JSON string", `"OK"`, 200, ""},
		{"OK as plain text", `OK`, 200, ""},
		{"nothing", ``, 202, ""},
		{"not successful", `{"success":false}`, 200, "not successful"},
		{"refused", `{"message":"no"}`, 400, "bad request"},
		{"failed, and not repeated", ``, 500, "server, ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newService(t, post.answering(tt.status, tt.answer)).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			if err := c.SyncInbound(t.Context()); kinds(err) != tt.kind {
				t.Errorf("%v is %q, want %q", err, kinds(err), tt.kind)
			}
		})
	}
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
	const path = "/v1/inbound-product-invoices/1/manifest"
	for _, tt := range []struct {
		name, justification, body, answer string
		status                            int
		shown                             bool
		kind                              string
	}{
		{"the invoice", "", `{"status":"confirmed"}`, `{"id":"1","manifestation":{"status":"confirmed"}}`, 200, true, ""},
		{"with a justification", "not bought by us", `{"justification":"not bought by us","status":"confirmed"}`, `{"result":{"id":"1"}}`, 200, true, ""},
		{"nothing", "", `{"status":"confirmed"}`, ``, 204, false, ""},
		{"another invoice", "", `{"status":"confirmed"}`, `{"id":"2"}`, 200, false, ""},
		{"refused by the authority", "", `{"status":"confirmed"}`, `{"message":"no"}`, 400, false, "bad request"},
		{"failed, and not repeated", "", `{"status":"confirmed"}`, ``, 502, false, "server, ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newService(t, exchange{method: "POST", path: path, body: tt.body, answer: tt.answer, status: tt.status}).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			got, err := c.ManifestInbound(t.Context(), "1", ManifestConfirmed, tt.justification)
			if kinds(err) != tt.kind {
				t.Errorf("%v is %q, want %q", err, kinds(err), tt.kind)
			}
			if (got != nil) != tt.shown {
				t.Errorf("the answer shows %v", got)
			}
		})
	}
	if _, err := newService(t).client().ManifestInbound(t.Context(), "", ManifestConfirmed, ""); kinds(err) != "not sent" {
		t.Errorf("without an id: %v", err)
	}
}
