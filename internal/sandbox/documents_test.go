package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

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
