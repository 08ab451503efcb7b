package sandbox

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestControl_decidesHowSearchesGo(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"productInvoice": object{"inbound": object{"enabled": true}}})
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
		expect.NoError(t, err)
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
