package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

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
