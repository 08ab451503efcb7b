package sandbox

import (
	"net/http"
	"testing"
	"time"
)

// The secrets that are planted in the account of page tests, where a page could show them.
const (
	plantedCSC         = "CSC-0123456789-abcdef"
	plantedPassword    = "prefeitura-senha-7"
	plantedCSRT        = "csrt-of-the-software-house"
	plantedToken       = "token-of-the-receiver"
	plantedCertificate = "password-of-the-pfx"
	plantedNobodysKey  = "0123456789abcdef-nobodys"
)

// busyAccount is one with something in every part of the page, secrets in many places, and texts that would be markup.
func busyAccount(t *testing.T) (*client, *ManualClock) {
	t.Helper()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, Seed: 3, RateLimit: true, AuthorizeAfter: 4 * time.Second})
	s := c.s
	owner := s.OwnerCompanyID()
	good, bad := newReceiver(t, http.StatusNoContent), newReceiver(t, http.StatusInternalServerError)
	branch := s.Seed(KindCompanies, object{
		"name": "Filial <b>Centro</b>", "legalName": "Filial Centro & Irmãos Ltda", "federalTaxNumber": "11222333000181",
	})
	for _, id := range []string{owner, branch} {
		s.SetSettings(id, object{
			"general": object{
				"technicalResponsible": object{"contactName": "Ana", "csrts": []any{object{"id": 1, "csrt": plantedCSRT}}},
				"roundingTolerance":    object{"apiToken": plantedToken, "note": "echo of " + s.KeyOf(id)},
			},
			"consumerInvoice": object{"tokenId": "000001", "csc": plantedCSC},
			"serviceInvoice":  object{"userName": "fiscal", "password": plantedPassword},
		})
	}
	s.ExpectCertificate([]byte("pfx"), plantedCertificate, "CN=Matriz", "CN=AC", noon.Add(24*time.Hour))
	wantStatus(t, c.upload(owner, "certificateFile", "pfx", plantedCertificate), http.StatusOK)
	c.subscribe(EventAuthorized, good.url+"/in?token="+plantedToken)
	c.subscribe(EventRejected, bad.url+"/hooks?token="+plantedToken)
	c.subscribe(EventCanceled, "http://127.0.0.1:1/closed?token="+plantedToken)
	c.subscribe(EventStatusChanged, "https://user:"+plantedToken+"@hooks.example/in")

	// The limit of a second is real, so the clock moves between the requests.
	post := func(path, integrationID string, more object) string {
		clock.Advance(time.Second)
		more["integrationId"] = integrationID
		return c.issued(path, more)
	}
	post("/service-invoices", "order-1001", object{"description": `<script>window.pwned = true</script> "Consultoria" & key ` + c.key})
	s.ScriptInvoice("sale-2", Reject("778", "Rejeição: Informado NCM inexistente [nItem:1] <i>"))
	post("/consumer-invoices", "sale-2", object{})
	canceled := post("/service-invoices", "order-1002", object{})
	corrected := post("/product-invoices", "order-1003", object{})
	s.ScriptInvoice("order-1004", StuckUntilCheck(Authorize()))
	post("/product-invoices", "order-1004", object{})
	post("/service-invoices", "draft-5", object{"issue": false})
	clock.Advance(10 * time.Second)
	s.Settle()
	wantStatus(t, c.do("POST", "/product-invoices/"+corrected+"/corrections", object{"letter": "Corrigir o endereço de entrega"}), http.StatusOK)
	clock.Advance(time.Second)
	wantStatus(t, c.do("DELETE", "/service-invoices/"+canceled, object{"reason": "Emitida em duplicidade"}), http.StatusOK)
	clock.Advance(5 * time.Second)
	s.Settle()
	s.RotateWebhookSecret(24)
	post("/service-invoices", "order-1006", object{"description": "After the rotation, signed by " + s.WebhookSecret()})
	clock.Advance(5 * time.Second)
	s.Settle()

	stranger := *c
	stranger.key = plantedNobodysKey
	wantStatus(t, stranger.do("GET", "/customers?name="+plantedToken, nil), http.StatusForbidden)
	wantStatus(t, c.do("GET", "/customers/"+c.key, nil), http.StatusNotFound)
	return c, clock
}
