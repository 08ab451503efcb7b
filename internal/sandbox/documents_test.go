package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
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
				expect.NoError(t, err)
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
				expect.Contains(t, document, "<xNome>José &amp; &#34;Cia&#34; (SP)</xNome>")
			}
		})
	}
}

func TestDocument_existsAfterAuthorizationAndInContingency(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.ScriptInvoice("x", StuckUntilCheck(Contingency(Authorize())))
	at := "/product-invoices/" + c.issued("/product-invoices", object{"integrationId": "x"})
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

// voiding is a valid disablement with fields replaced.
func voiding(more object) object {
	b := object{"initialNumber": 10, "finalNumber": 12, "series": 1, "reason": "Falha na numeração"}
	maps.Copy(b, more)
	return b
}

func TestDisablement_isRegisteredByTheAuthorityLater(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/product-invoices", "/consumer-invoices"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			c, clock := newSlowIssuer(t)
			doc := c.must("POST", path+"/disablement", voiding(nil))
			wantFields(t, doc, object{
				"status": "inProcessing", "initialNumber": json.Number("10"), "finalNumber": json.Number("12"), "series": "1",
				"reason": "Falha na numeração", "date": "2026-03-10T09:00:00-03:00", "environment": "development",
				"protocolNumber": nil, "messageCode": nil, "messageText": nil,
			})
			model := map[string]string{"/product-invoices": "55", "/consumer-invoices": "65"}[path]
			if want := "ID3526" + "98765432000198" + model + "001" + "000000010" + "000000012"; doc["identifier"] != want {
				t.Errorf("identifier = %v, want %s", doc["identifier"], want)
			}
			clock.Advance(time.Second)
			listed := c.items(path + "/disablements")[0].(object)
			wantFields(t, listed, object{"id": doc["id"], "status": "registered", "messageCode": "102"})
			if protocol, _ := listed["protocolNumber"].(string); len(protocol) != 15 {
				t.Errorf("protocol = %s", protocol)
			}
		})
	}
}

func TestDisablement_ofAUsedNumberIsRejected(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.issued("/product-invoices", nil)
	c.must("POST", "/product-invoices/disablement", voiding(object{"initialNumber": 1, "finalNumber": 1}))
	c.must("POST", "/product-invoices/disablement", voiding(object{"initialNumber": 1, "finalNumber": 1, "series": 2}))
	var states []string
	for _, item := range c.items("/product-invoices/disablements") {
		states = append(states, item.(object)["status"].(string))
	}
	wantSame(t, []string{"rejected", "registered"}, states, "states")
}

func TestDisablement_refusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.refuses("POST", "/product-invoices/disablement", []badBody{
		{"a reason of 14 characters", voiding(object{"reason": strings.Repeat("ã", 14)}), []string{
			"reason: The field Reason must be a string with a minimum length of 15 and a maximum length of 255.",
		}},
		{"a range that runs backwards", voiding(object{"finalNumber": 9}), []string{
			"finalNumber: The field FinalNumber must not be less than InitialNumber, which must be at least 1.",
		}},
		{"the older names", object{"numberStart": 1, "numberEnd": 2, "serie": 1, "justification": "Falha na numeração"}, []string{
			"series: The Series field is required.", "reason: The Reason field is required.",
			"initialNumber: The InitialNumber field is required.", "finalNumber: The FinalNumber field is required.",
		}},
	})
	wantStatus(t, c.do("GET", "/product-invoices/disablement", nil), http.StatusNotFound)
}

func TestDisablement_listFiltersAndKeepsToCompanyAndModel(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	company := c.s.Seed(KindCompanies, object{"name": "Filial", "federalTaxNumber": "45997418000153"})
	c.s.Seed(KindDisablements, object{"date": "2026-01-10T10:00:00-03:00", "status": "error"})
	c.s.Seed(KindDisablements, object{"date": "2026-02-10T10:00:00-03:00"})
	c.s.Seed(KindDisablements, object{"_company": company})
	c.s.Seed(KindDisablements, object{"_model": "consumerInvoice"})
	c.finds("/product-invoices/disablements", map[string]int{
		"": 2, "status=error": 1, "status=error,registered": 2, "startDate=2026-02-01": 1, "endDate=2026-02-01": 1,
		"startDate=2026-02-11": 0,
	}, "status=done", "startDate=x")
}

const cancelReason = "Pedido desfeito pelo cliente"

func TestCancel_reasonHas15To255Characters(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	at := "/service-invoices/" + c.issued("/service-invoices", nil)
	c.refuses("DELETE", at, []badBody{
		{"no body", nil, []string{"<nil>: A non-empty request body is required."}},
		{"no reason", object{}, []string{"reason: The Reason field is required."}},
		{"the older name", object{"justification": cancelReason}, []string{"reason: The Reason field is required."}},
		{"14 characters", object{"reason": strings.Repeat("ã", 14)}, []string{"reason: The field Reason must be a string with a minimum length of 15 and a maximum length of 255."}},
		{"256 characters", object{"reason": strings.Repeat("a", 256)}, []string{"reason: The field Reason must be a string with a maximum length of 255."}},
	})
	c.must("DELETE", at, object{"reason": strings.Repeat("ã", 255)})
	other := "/service-invoices/" + c.issued("/service-invoices", nil)
	c.must("DELETE", other, object{"reason": strings.Repeat("ã", 15)})
}

func TestCancel_wrongStatesAreRefused(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	id := c.issued("/product-invoices", nil)
	for status, code := range map[string]string{
		"enqueued": "SPD006", "received": "SPD006", "inContingent": "SPD005", "rejected": "SPD005",
		"denied": "SPD004", "removed": "SPD004", "disabled": "SPD004",
	} {
		c.s.SetInvoiceStatus(id, status)
		c.refusedFor(code, "DELETE", "/product-invoices/"+id, object{"reason": cancelReason})
	}
}

func TestCancel_removesADraft(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	at := "/service-invoices/" + c.issued("/service-invoices", object{"issue": false})
	wantFields(t, c.must("DELETE", at, object{"reason": cancelReason}), object{"status": "removed", "cancellation": nil})
	wantStatus(t, c.do("POST", at+"/issue", nil), http.StatusBadRequest)
}

func TestCorrection_isAnEventOfItsOwnEachTime(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	id := c.issued("/product-invoices", nil)
	letter := strings.Repeat("ç", 15)
	first := c.must("POST", "/product-invoices/"+id+"/corrections", object{"letter": letter})
	second := c.must("POST", "/product-invoices/"+id+"/corrections", object{"letter": letter})
	wantFields(t, first, object{"letter": letter})
	if first["eventId"] == second["eventId"] || first["eventId"] == "" {
		t.Errorf("event ids = %v, %v, want two", first["eventId"], second["eventId"])
	}
	want := []object{
		{"eventId": first["eventId"], "letter": letter, "sequence": json.Number("1")},
		{"eventId": second["eventId"], "letter": letter, "sequence": json.Number("2")},
	}
	wantSame(t, want, c.s.Corrections(id), "corrections")
}

func TestCorrection_isForAuthorizedProductInvoicesOf15To1000Characters(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	id := c.issued("/product-invoices", nil)
	at := "/product-invoices/" + id + "/corrections"
	for _, letter := range []string{"", strings.Repeat("ç", 14), strings.Repeat("ç", 1001)} {
		wantStatus(t, c.do("POST", at, object{"letter": letter}), http.StatusBadRequest)
	}
	wantStatus(t, c.do("POST", at, object{"letter": strings.Repeat("ç", 1000)}), http.StatusOK)
	c.s.SetInvoiceStatus(id, "canceled")
	wantStatus(t, c.do("POST", at, object{"letter": strings.Repeat("ç", 100)}), http.StatusBadRequest)
	for _, path := range []string{"/service-invoices", "/consumer-invoices"} {
		wantStatus(t, c.do("POST", path+"/"+c.issued(path, nil)+"/corrections", object{"letter": strings.Repeat("a", 20)}), http.StatusNotFound)
	}
}

func TestResendEmail_needsAnAuthorization(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for path := range bodies {
		wantFields(t, c.must("POST", path+"/"+c.issued(path, nil)+"/resend-email", nil), object{"success": true})
	}
	draft := c.issued("/service-invoices", object{"issue": false})
	wantStatus(t, c.do("POST", "/service-invoices/"+draft+"/resend-email", nil), http.StatusBadRequest)
}
