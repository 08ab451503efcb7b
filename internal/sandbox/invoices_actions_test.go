package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

const cancelReason = "Pedido desfeito pelo cliente"

func TestCancel_isAsynchronous(t *testing.T) {
	t.Parallel()
	for path := range bodies {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			c, clock := newSlowIssuer(t)
			at := path + "/" + c.issued(path, nil)
			clock.Advance(time.Second)
			inProcess := object{"status": "authorized", "cancellation": nil, "processingDetail": object{"status": "processing", "code": "SPD002"}}
			wantFields(t, c.must("DELETE", at, object{"reason": cancelReason}), inProcess)
			wantFields(t, c.must("GET", at, nil), inProcess)
			c.refusedFor("SPD002", "DELETE", at, object{"reason": cancelReason})
			clock.Advance(time.Second)
			wantFields(t, c.must("GET", at, nil), object{
				"status": "canceled", "processingDetail": object{"status": "success"},
				"cancellation": object{"date": "2026-03-10T09:00:02-03:00", "justification": cancelReason},
			})
			c.refusedFor("SPD004", "DELETE", at, object{"reason": cancelReason})
		})
	}
}

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

func TestCancel_canBeRefusedByTheAuthority(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	at := c.scripted("/product-invoices", CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	c.must("DELETE", at, object{"reason": cancelReason})
	wantFields(t, c.must("GET", at, nil), object{
		"status": "authorized", "cancellation": nil,
		"processingDetail": object{"status": "success", "code": "501", "message": "Prazo de cancelamento superior ao previsto"},
	})
	c.must("DELETE", at, object{"reason": cancelReason})
	c.wantStatusAt(at, "the next attempt", "canceled")
}

func TestCancel_canBeStuckUntilCheckStatus(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	at := c.scripted("/product-invoices", CancelStuck())
	clock.Advance(time.Second)
	c.must("DELETE", at, object{"reason": cancelReason})
	clock.Advance(time.Hour)
	wantFields(t, c.must("GET", at, nil), object{"status": "authorized", "processingDetail": object{"code": "SPD002"}})
	wantFields(t, c.must("POST", at+"/check-status", nil), object{"status": "canceled"})
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
