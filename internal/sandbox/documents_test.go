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
	for _, form := range []string{DocumentJSON, DocumentBase64, DocumentRaw} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{DocumentForm: form})
			read := func(path, contentType string) string {
				if form != DocumentRaw {
					contentType = contentTypeJSON
				}
				g := c.do("GET", path, nil)
				wantSame(t, contentType, g.header.Get("Content-Type"), "content type of %s", path)
				if form == DocumentRaw {
					return g.raw
				}
				var content string
				if err := json.Unmarshal([]byte(g.raw), &content); err != nil {
					t.Fatalf("answer is no JSON string: %v", err)
				}
				if form == DocumentJSON {
					return content
				}
				raw, err := base64.StdEncoding.DecodeString(content)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			for path := range bodies {
				at := path + "/" + c.issued(path, object{"receiver": buyer(`José & "Cia" (SP)`)})
				pdf := read(at+"/pdf", "application/pdf")
				if !strings.HasPrefix(pdf, "%PDF-1.4\n") || !strings.HasSuffix(pdf, "%%EOF\n") || !strings.Contains(pdf, `Jose & "Cia" \(SP\)`) {
					t.Errorf("pdf of %s = %s", path, pdf)
				}
				document := read(at+"/xml", "application/xml")
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
	c.allowOffline()
	c.s.ScriptInvoice("x", StuckUntilCheck(Contingency(Authorize())))
	at := "/consumer-invoices/" + c.issued("/consumer-invoices", object{"integrationId": "x"})
	for _, format := range []string{"/pdf", "/xml"} {
		c.refusedFor("the invoice is enqueued", "GET", at+format, nil)
	}
	c.must("POST", at+"/check-status", nil)
	c.wantStatusAt(at, "after check-status", "inContingent")
	g := c.do("GET", at+"/pdf", nil)
	wantStatus(t, g, http.StatusOK)
	wantTexts(t, g.raw, "EMITIDA EM CONTINGENCIA")
	c.must("POST", at+"/check-status", nil)
	c.must("DELETE", at, object{"reason": cancelReason})
	c.wantStatusAt(at, "after the cancellation", "canceled")
	wantStatus(t, c.do("GET", at+"/xml", nil), http.StatusOK)
}
