package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestControl_makesAReceivedInvoiceWithItsEvents(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	for _, event := range []string{EventInboundDetected, EventInboundEvent, EventInboundCompleted} {
		c.s.Seed(KindWebhooks, object{"event": event, "url": "https://hooks.example/x", "enabled": true})
	}
	made := c.control("POST", "/_sandbox/companies/main/received", `{"amount":12.5,"events":[{"type":"correctionLetter"}]}`)
	wantStatus(t, made, http.StatusOK)
	at := "/inbound-product-invoices/" + made.doc["id"].(string)
	wantFields(t, c.must("GET", at, nil), object{"amount": json.Number("12.5"), "status": "authorized"})
	events := "/_sandbox/received/" + made.doc["id"].(string) + "/events"
	for _, want := range []object{
		{"type": "correctionLetter", "eventCode": "110110", "sequenceNumber": json.Number("2")},
		{"type": "delivery", "eventCode": "110130", "sequenceNumber": json.Number("1")},
		{"type": "other", "eventCode": "610600", "sequenceNumber": json.Number("1")},
		{"type": "cancellation", "eventCode": "110111", "sequenceNumber": json.Number("1")},
	} {
		event := c.control("POST", events, `{"type":"`+text(want, "type")+`"}`).doc
		wantFields(t, event, want)
		for _, name := range []string{"id", "date", "description", "protocol"} {
			if text(event, name) == "" {
				t.Errorf("the event has no %s: %v", name, event)
			}
		}
	}
	wantFields(t, c.must("GET", at, nil), object{"status": "canceled"})
	wantSame(t, 6, len(c.s.Deliveries()), "number of announcements")

	nfse := c.control("POST", "/_sandbox/companies/"+c.s.OwnerCompanyID()+"/received", `{"model":"serviceInvoice"}`)
	events = "/_sandbox/received/" + nfse.doc["id"].(string) + "/events"
	canceled := c.control("POST", events, `{"type":"cancellation"}`)
	if _, has := canceled.doc["protocol"]; canceled.doc["eventCode"] != "101101" || has {
		t.Errorf("the event of an NFS-e is %v", canceled.doc)
	}
	wantSame(t, 8, len(c.s.Deliveries()), "number of announcements, none of them of a completed NFS-e")
	for kind, code := range map[string]string{"manifestation": "203202", "other": "305101"} {
		wantFields(t, c.control("POST", events, `{"type":"`+kind+`"}`).doc, object{"type": kind, "eventCode": code})
	}
	for path, bodies := range map[string][]string{
		events: {`{"type":"delivery"}`, `{"type":"correctionLetter"}`, `{}`},
		"/_sandbox/companies/main/received": {
			`{"status":"rejected"}`, `{"amout":1}`, `{"manifestation":{"status":"x"}}`, `{"events":[{"type":"x"}]}`, `no`,
		},
		"/_sandbox/companies/main/searches": {`{"outcomes":["neverAttempted"]}`, `{"outcome":"upToDate"}`},
	} {
		for _, body := range bodies {
			wantStatus(t, c.control("POST", path, body), http.StatusBadRequest)
		}
	}
	wantStatus(t, c.control("POST", "/_sandbox/companies/3fa85f64-5717-4562-b3fc-2c963f66afa6/received", `{}`), http.StatusNotFound)
}

func TestControl_decidesHowSearchesGo(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	enableInbound(c, false)
	for range 2 {
		c.control("POST", "/_sandbox/companies/main/received", `{"undetected":true}`)
	}
	outcomes := []string{syncApplyFailure, syncSynchronized}
	for _, word := range Vocabulary() {
		if word.Name == "Inbound sync status lastAttemptOutcome" {
			outcomes = append(outcomes, slices.DeleteFunc(word.Words, func(w string) bool {
				return w == syncNeverAttempted || w == syncSynchronized
			})...)
		}
	}
	for _, outcome := range outcomes {
		wantStatus(t, c.control("POST", "/_sandbox/companies/main/searches", `{"outcomes":["`+outcome+`"]}`), http.StatusOK)
		clock.Advance(time.Second)
		wantStatus(t, c.do("POST", "/inbound-product-invoices/sync", nil), http.StatusOK)
		wantFields(t, c.must("GET", "/inbound-product-invoices/sync-status", nil), object{
			"lastAttemptOutcome": outcome, "lastAttemptAt": local(clock.Now()),
		})
	}
	wantSame(t, 2, len(c.items("/inbound-product-invoices")), "number of invoices found")
}

func TestInbound_eachManifestationHasItsEventCode(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for status, code := range map[string]string{"acknowledged": "210210", "confirmed": "210200", "unknown": "210220", "notPerformed": "210240"} {
		id := c.s.SeedInbound(c.s.OwnerCompanyID(), nil)
		c.must("POST", "/inbound-product-invoices/"+id+"/manifest", object{"status": status, "justification": "Mercadoria não comprada."})
		var doc object
		c.s.locked(func() { doc, _ = c.s.get(KindInbound, id) })
		if events := objectsOf(doc["events"]); len(events) != 1 || events[0]["eventCode"] != code || events[0]["protocol"] != part(doc, "manifestation")["protocol"] {
			t.Errorf("%s: %v, want one event %s", status, events, code)
		}
	}
}

// What is announced is what a read shows, and the extras that only webhooks have.
func TestInbound_announcementsCarryTheInvoiceAndMore(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.Seed(KindWebhooks, object{"event": EventInboundDetected, "url": "https://hooks.example/x", "enabled": true})
	extras := []string{"company", "events"}
	for path, more := range map[string][]string{
		"/inbound-product-invoices/": extras, "/inbound-service-invoices/": append(extras, "number", "serviceDescription", "serviceLocation", "role"),
	} {
		body := object{"model": map[bool]string{true: "serviceInvoice", false: "productInvoice"}[len(more) > 2]}
		made, err := c.s.Receive(c.s.OwnerCompanyID(), body)
		if err != nil {
			t.Fatal(err)
		}
		deliveries := c.s.Deliveries()
		event, _ := decoded(deliveries[len(deliveries)-1].Body).(object)
		data := part(event, "data")
		for name, want := range c.must("GET", path+made["id"].(string), nil) {
			if name != "issuer" {
				wantSame(t, want, data[name], "%s: %s", path, name)
			}
		}
		for _, name := range more {
			if _, has := data[name]; !has {
				t.Errorf("%s: the announcement lacks %s", path, name)
			}
		}
		for _, name := range []string{"name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber", "address"} {
			if _, has := part(data, "issuer")[name]; !has {
				t.Errorf("%s: the issuer that is announced lacks %s", path, name)
			}
		}
	}
}
