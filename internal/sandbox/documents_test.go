package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
)

func TestDocument_isAnsweredInEveryForm(t *testing.T) {
	t.Parallel()
	decode := map[string]func(t *testing.T, g got, contentType string) string{
		DocumentJSON: func(t *testing.T, g got, _ string) string {
			var s string
			if err := json.Unmarshal([]byte(g.raw), &s); err != nil {
				t.Fatalf("answer is no JSON string: %v", err)
			}
			return s
		},
		DocumentBase64: func(t *testing.T, g got, _ string) string {
			var s string
			if err := json.Unmarshal([]byte(g.raw), &s); err != nil {
				t.Fatalf("answer is no JSON string: %v", err)
			}
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		},
		DocumentRaw: func(t *testing.T, g got, contentType string) string {
			if got := g.header.Get("Content-Type"); got != contentType {
				t.Errorf("content type = %s, want %s", got, contentType)
			}
			return g.raw
		},
	}
	for form, read := range decode {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{DocumentForm: form})
			for path := range bodies {
				at := path + "/" + c.issued(path, map[string]any{"receiver": map[string]any{"name": `José & "Cia" (SP)`}})
				pdf := read(t, c.do("GET", at+"/pdf", nil), "application/pdf")
				if !strings.HasPrefix(pdf, "%PDF-1.4\n") || !strings.HasSuffix(pdf, "%%EOF\n") || !strings.Contains(pdf, `Jose & "Cia" \(SP\)`) {
					t.Errorf("pdf of %s = %s", path, pdf)
				}
				document := read(t, c.do("GET", at+"/xml", nil), "application/xml")
				var parsed struct{ XMLName xml.Name }
				if err := xml.Unmarshal([]byte(document), &parsed); err != nil {
					t.Errorf("xml of %s: %v in %s", path, err, document)
				}
				if !strings.Contains(document, "<xNome>José &amp; &#34;Cia&#34; (SP)</xNome>") {
					t.Errorf("xml of %s does not name the receiver: %s", path, document)
				}
			}
		})
	}
}

func TestDocument_existsAfterAuthorizationAndInContingency(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.ScriptInvoice("x", StuckUntilCheck(Contingency(Authorize())))
	at := "/product-invoices/" + c.issued("/product-invoices", map[string]any{"integrationId": "x"})
	for _, format := range []string{"/pdf", "/xml"} {
		g := c.do("GET", at+format, nil)
		wantStatus(t, g, http.StatusBadRequest)
		if !strings.Contains(g.raw, "the invoice is enqueued") {
			t.Errorf("answer = %s, want the status in it", g.raw)
		}
	}
	c.must("POST", at+"/check-status", nil)
	c.wantStatusAt(at, "after check-status", "inContingent")
	g := c.do("GET", at+"/pdf", nil)
	wantStatus(t, g, http.StatusOK)
	if !strings.Contains(g.raw, "EMITIDA EM CONTINGENCIA") {
		t.Errorf("printed document = %s, want it marked", g.raw)
	}
	c.must("POST", at+"/check-status", nil)
	c.must("DELETE", at, map[string]any{"reason": cancelReason})
	c.wantStatusAt(at, "after the cancellation", "canceled")
	wantStatus(t, c.do("GET", at+"/xml", nil), http.StatusOK)
}
