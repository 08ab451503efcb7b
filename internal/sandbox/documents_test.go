package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestDocument_isAnsweredInEveryForm(t *testing.T) {
	t.Parallel()
	for _, form := range []string{DocumentJSON, DocumentBase64, DocumentRaw} {
		rows.Case(t, form, func(t *testing.T) {
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

// voiding is a valid disablement with fields replaced.
func voiding(more object) object {
	b := object{"initialNumber": 10, "finalNumber": 12, "series": 1, "reason": "Falha na numeração"}
	maps.Copy(b, more)
	return b
}

func TestDisablement_isRegisteredByTheAuthorityLater(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/product-invoices", "/consumer-invoices"} {
		rows.Case(t, path, func(t *testing.T) {
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

func TestInbound_readShapesOfBothModels(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	owner := c.s.OwnerCompanyID()
	product := c.s.SeedInbound(owner, object{"amount": 12.5})
	service := c.s.SeedInbound(owner, object{"model": "serviceInvoice"})
	nfe := c.must("GET", "/inbound-product-invoices/"+product, nil)
	wantFields(t, nfe, object{
		"model": "productInvoice", "environmentType": "production", "nsu": json.Number("1"), "isComplete": false, "status": "authorized",
		"amount": json.Number("12.5"), "operationType": "outgoing", "lastModificationTime": nil, "creationTime": "2026-03-10T12:00:00.0000000Z",
	})
	wantSame(t, object{"status": "none", "date": nil, "justification": nil, "protocol": nil}, nfe["manifestation"], "manifestation of an NF-e")
	wantSame(t, object{"name": "Fornecedor", "legalName": "Fornecedor Ltda", "federalTaxNumber": "42318949000184"}, nfe["issuer"], "issuer")
	nfse := c.must("GET", "/inbound-service-invoices/"+service, nil)
	wantFields(t, nfse, object{"model": "serviceInvoice", "isComplete": true, "nsu": json.Number("2")})
	wantSame(t, object{"status": "none", "date": nil, "justification": nil, "reasonCode": nil}, nfse["manifestation"], "manifestation of an NFS-e")
	if len(nfe["accessKey"].(string)) != 44 || len(nfse["accessKey"].(string)) != 50 {
		t.Errorf("keys = %v, %v, want 44 and 50 digits", nfe["accessKey"], nfse["accessKey"])
	}
	for _, name := range []string{"company", "events", "number", "role"} {
		if _, shown := nfse[name]; shown {
			t.Errorf("the read shows %s, which is for webhooks", name)
		}
	}
	wantStatus(t, c.do("GET", "/inbound-service-invoices/"+product, nil), http.StatusNotFound)
	wantStatus(t, c.do("GET", "/inbound-product-invoices/"+service, nil), http.StatusNotFound)
}

func TestInbound_listIsNewestFirstByCursor(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	owner := c.s.OwnerCompanyID()
	for day := range 25 {
		c.s.SeedInbound(owner, object{"issuedOn": fmt.Sprintf("2026-03-%02dT10:00:00-03:00", (day*7)%25+1), "amount": day})
	}
	c.s.SeedInbound(owner, object{"model": "serviceInvoice"})
	var dates []string
	path, pages := "/inbound-product-invoices", 0
	for cursor := ""; ; {
		page := c.must("GET", path+"?cursor="+cursor, nil)
		pages++
		for _, item := range page["items"].([]any) {
			dates = append(dates, item.(object)["issuedOn"].(string))
		}
		next, more := page["nextCursor"].(string)
		if more != page["hasNext"].(bool) {
			t.Fatalf("nextCursor %q with hasNext %v", next, page["hasNext"])
		}
		if !more {
			break
		}
		cursor = next
	}
	if pages != 2 || len(dates) != 25 {
		t.Fatalf("%d invoices on %d pages, want 25 on 2", len(dates), pages)
	}
	for i := 1; i < len(dates); i++ {
		if dates[i] > dates[i-1] {
			t.Errorf("%s comes after %s", dates[i], dates[i-1])
		}
	}
	wantSame(t, 25, len(c.items(path+"?limit=200")), "number of invoices at the limit")
	wantStatus(t, c.do("GET", path+"?limit=201", nil), http.StatusBadRequest)
	wantStatus(t, c.do("GET", path+"?cursor=gone", nil), http.StatusBadRequest)
}

func TestInbound_listFilters(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	owner := c.s.OwnerCompanyID()
	key := strings.Repeat("1", 44)
	c.s.SeedInbound(owner, object{"accessKey": key, "issuedOn": "2026-01-10T10:00:00-03:00", "status": "canceled"})
	c.s.SeedInbound(owner, object{"issuedOn": "2026-02-10T10:00:00-03:00", "operationType": "incoming", "environmentType": "development"})
	c.s.SeedInbound(owner, object{"issuedOn": "2026-03-10T10:00:00-03:00", "status": "denied", "manifestation": object{"status": "confirmed"}})
	c.s.SeedInbound(c.s.Seed(KindCompanies, object{"name": "Filial"}), nil)
	c.finds("/inbound-product-invoices", map[string]int{
		"": 3, "accessKey=" + key: 1, "accessKey=" + key[1:]: 0,
		"status=canceled": 1, "status=canceled&status=denied": 2, "status=canceled,denied": 2,
		"manifestationStatus=confirmed": 1, "manifestationStatus=none,confirmed": 3,
		"operationType=incoming": 1, "environmentType=development": 1,
		"initialDate=2026-02-10T10:00:00-03:00": 2, "endDate=2026-02-10T10:00:00-03:00": 2,
	}, "status=rejected", "manifestationStatus=x", "initialDate=x")
}

func TestInbound_manifestationReleasesTheCompleteInvoice(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, AuthorizeAfter: time.Second})
	for _, event := range []string{EventInboundEvent, EventInboundCompleted} {
		c.s.Seed(KindWebhooks, object{"event": event, "url": "https://hooks.example/x", "enabled": true})
	}
	at := "/inbound-product-invoices/" + c.s.SeedInbound(c.s.OwnerCompanyID(), nil)
	summary := c.do("GET", at+"/xml", nil)
	wantTexts(t, summary.raw, "resNFe")
	wantStatus(t, c.do("GET", at+"/pdf", nil), http.StatusBadRequest)
	wantFields(t, c.must("POST", at+"/manifest", object{"status": "acknowledged"}), object{
		"isComplete": false, "manifestation": object{"status": "acknowledged", "date": "2026-03-10T09:00:00-03:00", "justification": nil},
	})
	clock.Advance(time.Second)
	wantFields(t, c.must("GET", at, nil), object{"isComplete": true})
	complete := c.do("GET", at+"/xml", nil)
	wantTexts(t, complete.raw, "nfeProc")
	wantStatus(t, c.do("GET", at+"/pdf", nil), http.StatusOK)

	deliveries := c.s.Deliveries()
	if len(deliveries) != 2 || deliveries[0].Event != EventInboundEvent || deliveries[1].Event != EventInboundCompleted {
		t.Fatalf("deliveries = %v", deliveries)
	}
	event, _ := decoded(deliveries[0].Body).(object)
	sent := part(event, "data")
	wantFields(t, part(sent, "event"), object{"type": "manifestation", "sequenceNumber": json.Number("1")})
	wantFields(t, part(sent, "invoice"), object{"company": object{"federalTaxNumber": "98765432000198"}, "model": "productInvoice"})
}

func TestInbound_manifestationRules(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	owner := c.s.OwnerCompanyID()
	at := "/inbound-product-invoices/" + c.s.SeedInbound(owner, nil)
	reason := strings.Repeat("ã", 15)
	for _, body := range []object{
		{},
		{"status": "none"},
		{"status": "unknown"},
		{"status": "notPerformed", "justification": reason[2:]},
		{"status": "unknown", "justification": strings.Repeat("a", 256)},
	} {
		wantStatus(t, c.do("POST", at+"/manifest", body), http.StatusBadRequest)
	}
	wantFields(t, c.must("POST", at+"/manifest", object{"status": "unknown", "justification": reason}), object{
		"manifestation": object{"status": "unknown", "justification": reason},
	})
	wantFields(t, c.must("GET", at, nil), object{"isComplete": false})
	canceled := "/inbound-product-invoices/" + c.s.SeedInbound(owner, object{"status": "canceled"})
	wantStatus(t, c.do("POST", canceled+"/manifest", object{"status": "confirmed"}), http.StatusBadRequest)
	wantFields(t, c.must("GET", canceled, nil), object{"manifestation": object{"status": "none"}})
}

// enableInbound switches the feature on, with a certificate where wished.
func enableInbound(c *client, certificate bool) {
	owner := c.s.OwnerCompanyID()
	c.s.SetSettings(owner, object{"productInvoice": object{"inbound": object{"enabled": true, "startDate": "2026-01-01T00:00:00-03:00"}}})
	if certificate {
		c.s.Seed(KindCertificates, object{"_companyId": owner, "isActive": true, "expirationAt": "2027-01-01T00:00:00Z"})
	}
}

func TestSync_findsWhatIsQueuedAtTheAuthority(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, AuthorizeAfter: time.Second})
	c.s.Seed(KindWebhooks, object{"event": EventInboundDetected, "url": "https://hooks.example/x", "enabled": true})
	wantFields(t, c.must("GET", "/inbound-product-invoices/sync-status", nil), object{
		"lastNsu": json.Number("0"), "lastSyncAt": nil, "nextAllowedSyncAt": nil, "lastAttemptOutcome": "neverAttempted",
		"lastAttemptMessage": nil, "lastAttemptAt": nil,
	})
	enableInbound(c, true)
	owner := c.s.OwnerCompanyID()
	c.s.QueueInbound(owner, object{"amount": 1})
	c.s.QueueInbound(owner, object{"issuedOn": "2025-12-31T10:00:00-03:00"})
	wantSame(t, `"OK"`, c.do("POST", "/inbound-product-invoices/sync", nil).raw, "sync")
	wantSame(t, 0, len(c.items("/inbound-product-invoices")), "number of invoices before the search")
	clock.Advance(time.Second)
	found := c.items("/inbound-product-invoices")
	if len(found) != 1 || len(c.s.Deliveries()) != 1 {
		t.Fatalf("%d invoices and %d announcements, want one of each", len(found), len(c.s.Deliveries()))
	}
	wantFields(t, c.must("GET", "/inbound-product-invoices/sync-status", nil), object{
		"lastNsu": json.Number("1"), "lastSyncAt": "2026-03-10T09:00:01-03:00", "lastAttemptAt": "2026-03-10T09:00:01-03:00",
		"nextAllowedSyncAt": "2026-03-10T10:00:00-03:00", "lastAttemptOutcome": "synchronized",
	})
	clock.Advance(time.Hour)
	wantStatus(t, c.do("POST", "/inbound-product-invoices/sync", nil), http.StatusOK)
	clock.Advance(time.Second)
	wantFields(t, c.must("GET", "/inbound-product-invoices/sync-status", nil), object{"lastNsu": json.Number("1"), "lastAttemptOutcome": "upToDate"})
}

func TestSync_keepsItsInterval(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, SyncInterval: 10 * time.Minute})
	enableInbound(c, true)
	wantStatus(t, c.do("POST", "/inbound-product-invoices/sync", nil), http.StatusOK)
	clock.Advance(time.Minute + time.Millisecond)
	g := c.do("POST", "/inbound-product-invoices/sync", nil)
	wantStatus(t, g, http.StatusTooManyRequests)
	wantSame(t, "540", g.header.Get("Retry-After"), "Retry-After")
	wantFields(t, g.doc, object{"retryAfterSeconds": json.Number("540"), "nextAllowedSyncAt": "2026-03-10T09:10:00-03:00"})
	clock.Advance(9 * time.Minute)
	wantStatus(t, c.do("POST", "/inbound-product-invoices/sync", nil), http.StatusOK)
}

func TestSync_needsTheFeatureAndACertificate(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	wantStatus(t, c.do("POST", "/inbound-product-invoices/sync", nil), http.StatusBadRequest)
	enableInbound(c, false)
	wantStatus(t, c.do("POST", "/inbound-product-invoices/sync", nil), http.StatusOK)
	wantFields(t, c.must("GET", "/inbound-product-invoices/sync-status", nil), object{
		"lastAttemptOutcome": "certificateMissingOrExpired", "lastSyncAt": nil, "lastAttemptAt": "2026-03-10T09:00:00-03:00",
	})
}

func TestSync_statusCanBeSetToAnyOutcome(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	company := c.s.Seed(KindCompanies, object{"name": "Filial"})
	c.s.SetSyncStatus(company, object{"lastNsu": 77, "lastAttemptOutcome": "documentApplyFailure", "lastAttemptMessage": "documento 78"})
	other := c.as(company)
	wantFields(t, other.must("GET", "/inbound-product-invoices/sync-status", nil), object{
		"lastNsu": json.Number("77"), "lastAttemptOutcome": "documentApplyFailure", "lastAttemptMessage": "documento 78", "lastSyncAt": nil,
	})
	wantFields(t, c.must("GET", "/inbound-product-invoices/sync-status", nil), object{"lastAttemptOutcome": "neverAttempted"})
}

// receiver is somebody's server for webhooks; it answers the statuses in turn, then the last of them forever.
type receiver struct {
	url string

	mu       sync.Mutex
	statuses []int
	headers  []http.Header
	bodies   []string
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	r := &receiver{statuses: statuses}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.headers = append(r.headers, req.Header)
		r.bodies = append(r.bodies, string(body))
		status := r.statuses[0]
		if len(r.statuses) > 1 {
			r.statuses = r.statuses[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

func (c *client) subscribe(event, url string) string {
	return c.s.Seed(KindWebhooks, object{"event": event, "url": url})
}

// happen emits an event and waits until it is sent.
func (c *client) happen(event string, data object) {
	c.s.locked(func() { c.s.emit(event, data) })
	c.s.Settle()
}

func TestDelivery_isASignedPostOfIDEventAndData(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	r := newReceiver(t, http.StatusNoContent)
	webhook := c.subscribe(EventAuthorized, r.url+"/in?token=1")
	c.subscribe(EventRejected, r.url)
	c.happen(EventAuthorized, object{"id": "7", "amount": json.Number("10.50"), "company": object{"_own": 1, "name": "A"}, "_own": 1})

	deliveries := c.s.Deliveries()
	if len(deliveries) != 1 || r.count() != 1 {
		t.Fatalf("%d deliveries and %d requests, want one of each", len(deliveries), r.count())
	}
	d, header, body := deliveries[0], r.headers[0], r.bodies[0]
	want := `{"data":{"amount":10.50,"company":{"name":"A"},"id":"7"},"event":"invoice.authorized","id":"` + d.ID + `"}`
	wantSame(t, want, body, "body")
	for name, want := range map[string]string{
		"webhook-id": d.ID, "webhook-timestamp": strconv.FormatInt(noon.Unix(), 10), "Content-Type": "application/json; charset=utf-8",
		"webhook-signature": signature(c.s.WebhookSecret(), d.ID, noon, []byte(body)),
	} {
		wantSame(t, want, header.Get(name), "%s", name)
	}
	wantDelivery := Delivery{
		ID: d.ID, WebhookID: webhook, Event: EventAuthorized, URL: r.url + "/in?token=1", Body: []byte(want),
		State: DeliverySucceeded, Attempts: []DeliveryAttempt{{At: noon, Status: http.StatusNoContent}},
	}
	expect.Is(t, cmp.Diff(wantDelivery, d, cmpopts.IgnoreFields(DeliveryAttempt{}, "Header")), "", "delivery differs (-want +got):\n")
}

func TestDelivery_goesToEveryEnabledSubscriberUnderOneID(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	r := newReceiver(t, http.StatusOK)
	first, second := c.subscribe(EventAuthorized, r.url), c.subscribe(EventAuthorized, r.url)
	c.s.Seed(KindWebhooks, object{"event": EventAuthorized, "url": r.url, "enabled": false})
	c.happen(EventAuthorized, object{})
	c.happen(EventAuthorized, object{})
	d := c.s.Deliveries()
	if len(d) != 4 || r.count() != 4 {
		t.Fatalf("%d deliveries and %d requests, want 4 of each", len(d), r.count())
	}
	if d[0].ID != d[1].ID || d[0].WebhookID != first || d[1].WebhookID != second || d[2].ID == d[0].ID {
		t.Errorf("deliveries = %+v, want two events for two webhooks", d)
	}
}

func TestDelivery_neverLeavesLoopback(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, url := range []string{nowhere, "http://192.0.2.1/", "http://localhost.hooks.example/", "http://[2001:db8::1]/"} {
		c.subscribe(EventAuthorized, url)
	}
	c.happen(EventAuthorized, object{})
	for _, d := range c.s.Deliveries() {
		if d.State != DeliverySkipped || len(d.Attempts) != 0 {
			t.Errorf("%s: %s after %d attempts, want skipped", d.URL, d.State, len(d.Attempts))
		}
	}
	wantSame(t, 4, len(c.s.Deliveries()), "number of deliveries")
	if _, err := post(t.Context(), "http://192.0.2.1/", nil, nil); err == nil {
		t.Error("an address beyond loopback was connected to")
	}
}

func TestDelivery_isTriedAgainOnItsScheduleAndThenTheWebhookIsDisabled(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	r := newReceiver(t, http.StatusInternalServerError)
	id := c.subscribe(EventAuthorized, r.url)
	c.happen(EventAuthorized, object{})
	for i, wait := range []time.Duration{5 * time.Minute, 30 * time.Minute, time.Hour, 4 * time.Hour, 16 * time.Hour} {
		wantFields(t, c.must("GET", "/webhooks/"+id, nil), object{"enabled": true})
		clock.Advance(wait - time.Second)
		c.s.Settle()
		if got := r.count(); got != i+1 {
			t.Fatalf("%d requests a second before try %d, want %d", got, i+2, i+1)
		}
		clock.Advance(time.Second)
		c.s.Settle()
	}
	clock.Advance(1000 * time.Hour)
	c.s.Settle()
	wantSame(t, 6, r.count(), "number of requests")
	d := c.s.Deliveries()[0]
	if d.State != DeliveryFailed || len(d.Attempts) != 6 {
		t.Errorf("delivery is %s after %d attempts, want failed after 6", d.State, len(d.Attempts))
	}
	wantFields(t, c.must("GET", "/webhooks/"+id, nil), object{"enabled": false})
	if got, want := r.headers[5].Get("webhook-timestamp"), strconv.FormatInt(d.Attempts[5].At.Unix(), 10); got != want || r.headers[0].Get("webhook-id") != r.headers[5].Get("webhook-id") {
		t.Errorf("the last try has timestamp %s and id %s, want its own time %s and the event's id", got, r.headers[5].Get("webhook-id"), want)
	}
}

func TestDelivery_anyAnswerButA2xxIsAFailure(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	r := newReceiver(t, http.StatusFound, http.StatusBadRequest, http.StatusAccepted)
	c.subscribe(EventAuthorized, r.url)
	c.happen(EventAuthorized, object{})
	for _, wait := range []time.Duration{5 * time.Minute, 30 * time.Minute, 100 * time.Hour} {
		clock.Advance(wait)
		c.s.Settle()
	}
	d := c.s.Deliveries()[0]
	var statuses []int
	for _, a := range d.Attempts {
		statuses = append(statuses, a.Status)
	}
	wantSame(t, []int{302, 400, 202}, statuses, "statuses of a delivery that is %s", d.State)
	wantSame(t, DeliverySucceeded, d.State, "state")
}

func TestDelivery_aRetryFollowsItsWebhook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(c *client, id, elsewhere string)
		state  string
		moved  int
	}{
		{"to its new url", func(c *client, id, elsewhere string) { c.s.Patch(KindWebhooks, id, object{"url": elsewhere}) }, DeliverySucceeded, 1},
		{"but not off loopback", func(c *client, id, _ string) { c.s.Patch(KindWebhooks, id, object{"url": nowhere}) }, DeliverySkipped, 0},
		{"into being disabled", func(c *client, id, _ string) { c.must("PUT", "/webhooks/"+id+"/disable", nil) }, DeliveryFailed, 0},
		{"into being deleted", func(c *client, id, _ string) { c.must("DELETE", "/webhooks/"+id, nil) }, DeliveryFailed, 0},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			clock := NewManualClock(noon)
			c := newClient(t, Options{Clock: clock})
			broken, elsewhere := newReceiver(t, http.StatusBadGateway), newReceiver(t, http.StatusOK)
			id := c.subscribe(EventAuthorized, broken.url)
			c.happen(EventAuthorized, object{})
			tt.change(c, id, elsewhere.url)
			clock.Advance(100 * time.Hour)
			c.s.Settle()
			if d := c.s.Deliveries()[0]; d.State != tt.state || broken.count() != 1 || elsewhere.count() != tt.moved {
				t.Errorf("%s with %d and %d requests, want %s with 1 and %d", d.State, broken.count(), elsewhere.count(), tt.state, tt.moved)
			}
		})
	}
}

func TestDelivery_everyTryAndSkipIsTold(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	told := make(chan string, 4)
	c.s.OnDelivery(func(d Delivery) { told <- d.State })
	r := newReceiver(t, http.StatusBadGateway, http.StatusOK)
	c.subscribe(EventAuthorized, r.url)
	c.subscribe(EventRejected, nowhere)
	c.happen(EventAuthorized, object{})
	clock.Advance(5 * time.Minute)
	c.s.Settle()
	c.happen(EventRejected, object{})
	close(told)
	var states []string
	for state := range told {
		states = append(states, state)
	}
	wantSame(t, []string{DeliveryPending, DeliverySucceeded, DeliverySkipped}, states, "states told")
}

func secretOf(c *client) string {
	c.t.Helper()
	return c.must("GET", "/webhooks/secret", nil)["secret"].(string)
}

func TestSecret_isInTheFormOfStandardWebhooks(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	secret := secretOf(c)
	key, err := base64.StdEncoding.DecodeString(regexp.MustCompile(`^whsec_`).ReplaceAllString(secret, ""))
	if err != nil || len(key) != 32 || secret != c.s.WebhookSecret() {
		t.Errorf("secret = %q (%d bytes, %v), want whsec_ and the base64 of 32 bytes", secret, len(key), err)
	}
	wantSame(t, secretOf(c), secret, "the secret of a second read")
}

func TestSecret_aRotationAnswersTheNewOneAndHowLongTheOldOneLasts(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	tests := []struct {
		name, body string
		until      any
	}{
		{"without a body", "", nil},
		{"with an empty object", "{}", nil},
		{"without a window", `{"windowHours":0}`, nil},
		{"with the longest window", `{"windowHours":72}`, "2026-03-13T12:00:00.0000000Z"},
	}
	seen := map[string]bool{secretOf(c): true}
	for _, tt := range tests {
		var body any
		if tt.body != "" {
			body = tt.body
		}
		doc := c.must("POST", "/webhooks/secret/rotate", body)
		secret := secretOf(c)
		wantSame(t, object{"secret": secret, "rotatedAt": "2026-03-10T12:00:00.0000000Z", "previousSecretValidUntil": tt.until}, doc, "%s: answer", tt.name)
		if seen[secret] {
			t.Errorf("%s: the secret is not new", tt.name)
		}
		seen[secret] = true
	}
}

func TestSecret_aWindowBeyondItsLimitsIsRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	before := secretOf(c)
	for _, body := range []string{`{"windowHours":73}`, `{"windowHours":-1}`, `{"windowHours":"long"}`} {
		wantStatus(t, c.do("POST", "/webhooks/secret/rotate", body), http.StatusBadRequest)
	}
	wantSame(t, before, secretOf(c), "the secret after a refused rotation")
}

func TestSignature_followsStandardWebhooks(t *testing.T) {
	t.Parallel()
	// The example of the Standard Webhooks reference libraries.
	got := signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	wantSame(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got, "signature")
}

func TestCheckSignature_saysWhichSecretSigned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		since func(s *Server, clock *ManualClock, d *Delivery)
		want  string
		tone  string
	}{
		{"nothing happened", func(*Server, *ManualClock, *Delivery) {}, page.SignedCurrent, "good"},
		{"rotated with a window", func(s *Server, _ *ManualClock, _ *Delivery) { s.RotateWebhookSecret(2) }, page.SignedWindow, "good"},
		{"the window is over", func(s *Server, clock *ManualClock, _ *Delivery) {
			s.RotateWebhookSecret(2)
			clock.Advance(2 * time.Hour)
		}, page.SignedExpired, "gone"},
		{"rotated without a window", func(s *Server, _ *ManualClock, _ *Delivery) { s.RotateWebhookSecret(0) }, page.SignedExpired, "gone"},
		{"rotated twice", func(s *Server, _ *ManualClock, _ *Delivery) {
			s.RotateWebhookSecret(2)
			s.RotateWebhookSecret(2)
		}, page.SignedNone, "bad"},
		{"another body", func(_ *Server, _ *ManualClock, d *Delivery) { d.Body = append(d.Body, ' ') }, page.SignedNone, "bad"},
		{"another id", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Set("webhook-id", "x") }, page.SignedNone, "bad"},
		{"no signature", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Del("webhook-signature") }, page.SignedNone, "bad"},
		{"no timestamp", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Del("webhook-timestamp") }, page.SignedUntimed, "bad"},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			clock := NewManualClock(noon)
			c := newClient(t, Options{Clock: clock})
			c.subscribe(EventAuthorized, newReceiver(t, http.StatusOK).url)
			c.happen(EventAuthorized, object{"id": "7"})
			d := c.s.Deliveries()[0]
			tt.since(c.s, clock, &d)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if got, tone := c.s.checkSignature(d.Attempts[0].Header, d.Body, clock.Now()); got != tt.want || tone != tt.tone {
				t.Errorf("verdict = %q (%s), want %q (%s)", got, tone, tt.want, tt.tone)
			}
		})
	}
}

func TestDelivery_isSignedWithBothSecretsInTheWindow(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	r := newReceiver(t, http.StatusOK)
	c.subscribe(EventAuthorized, r.url)
	before := c.s.WebhookSecret()
	now := c.s.RotateWebhookSecret(72)
	for n, secrets := range [][]string{{now, before}, {now}} {
		c.happen(EventAuthorized, object{})
		var want []string
		for _, secret := range secrets {
			want = append(want, signature(secret, c.s.Deliveries()[n].ID, clock.Now(), []byte(r.bodies[n])))
		}
		wantSame(t, strings.Join(want, " "), r.headers[n].Get("webhook-signature"), "signatures")
		clock.Advance(72 * time.Hour)
	}
}

// Customers and webhooks belong to the account, whichever of its companies works with them.
func TestAccount_isSharedByItsCompanies(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	branch := c.as(c.s.Seed(KindCompanies, object{"name": "Filial", "federalTaxNumber": "45997418000153"}))
	made := c.must("POST", "/customers", object{"name": "Maria"})
	expect.NoError(t, uuid.Validate(made["id"].(string)))
	wantSame(t, made, branch.must("GET", "/customers/"+made["id"].(string), nil), "the customer, as another company reads it,")
	c.subscribe(EventAuthorized, nowhere)
	branch.issued(service, nil)
	event, _ := decoded(c.s.Deliveries()[0].Body).(object)
	wantFields(t, part(event, "data"), object{"company": object{"federalTaxNumber": "45997418000153"}})
}

const nowhere = "https://hooks.example/in?token=1"

func TestWebhook_subscribesToOneEventAndBeginsEnabled(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, event := range []string{
		"invoice.status_changed", "invoice.authorized", "invoice.rejected", "invoice.canceled", "invoice.contingency",
		"inbound_invoice.detected", "inbound_invoice.completed", "inbound_invoice.event",
	} {
		doc := c.must("POST", "/webhooks", object{"event": event, "url": nowhere, "enabled": false})
		wantFields(t, doc, object{"event": event, "url": nowhere, "enabled": true})
		wantSame(t, doc, c.must("GET", "/webhooks/"+doc["id"].(string), nil), "the read, after what the creation answered,")
	}
	wantFields(t, c.must("GET", "/webhooks?pageSize=3", nil), object{"totalCount": json.Number("8"), "hasNext": true})
}

func TestWebhook_refusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	const noURL = "url: The Url field is not a valid fully-qualified http or https URL."
	webhook := func(event, url any) object { return object{"event": event, "url": url} }
	c.refuses("POST", "/webhooks", []badBody{
		{"event and url are required", webhook(nil, " "), []string{"url: The Url field is required.", "event: The Event field is required."}},
		{"an event there is not", webhook("invoice.created", nowhere), []string{`event: Error converting value "invoice.created" to type 'Event'. Path 'event'.`}},
		{"a relative url", webhook(EventAuthorized, "/hooks"), []string{noURL}},
		{"an url without a host", webhook(EventAuthorized, "https:///hooks"), []string{noURL}},
		{"an url of another scheme", webhook(EventAuthorized, "ftp://hooks.example/"), []string{noURL}},
		{"text that is no url", webhook(EventAuthorized, "http://hooks.example:x/"), []string{noURL}},
	})
}

func TestWebhook_putChangesEventAndURLAndLeavesEnabledAlone(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.Seed(KindWebhooks, object{"event": EventAuthorized, "url": nowhere, "enabled": false})
	doc := c.must("PUT", "/webhooks/"+id, object{"id": id, "event": EventRejected, "url": "http://127.0.0.1/x", "enabled": true})
	wantFields(t, doc, object{"id": id, "event": EventRejected, "url": "http://127.0.0.1/x", "enabled": false})
	wantStatus(t, c.do("PUT", "/webhooks/"+id, object{"event": EventRejected}), http.StatusBadRequest)
}
