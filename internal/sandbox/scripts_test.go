package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// scripted issues an invoice under the id "s-1", which the outcomes are for, and returns its path.
func (c *client) scripted(path string, outcomes ...Outcome) string {
	c.t.Helper()
	c.s.ScriptInvoice("s-1", outcomes...)
	return path + "/" + c.issued(path, object{"integrationId": "s-1"})
}

func (c *client) wantStatusAt(path, when, want string) {
	c.t.Helper()
	if doc := c.must("GET", path, nil); doc["status"] != want {
		c.t.Errorf("%s: status = %v, want %s (%v)", when, doc["status"], want, doc["processingDetail"])
	}
}

func TestScript_outcomesAreTakenOneByOneAndThenAuthorize(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	path := c.scripted("/product-invoices", Reject("539", "Duplicidade"), Reject("E9999", "Rejeição genérica"))
	wantFields(t, c.must("GET", path, nil), object{
		"status": "rejected", "number": json.Number("0"), "accessKey": nil, "authorization": nil,
		"processingDetail": object{"status": "success", "code": "539", "message": "Duplicidade"},
	})
	c.must("POST", path+"/issue", nil)
	wantFields(t, c.must("GET", path, nil), object{"status": "rejected", "processingDetail": object{"code": "E9999"}})
	c.issued("/product-invoices", object{"integrationId": "s-1"})
	c.wantStatusAt(path, "after the script", "authorized")
}

func TestScript_kindsThatEndAnInvoice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		outcome Outcome
		want    object
	}{
		{Deny("301", "Denegado"), object{"status": "denied", "number": json.Number("1"), "processingDetail": object{"code": "301", "message": "Denegado"}}},
		{Remove(), object{"status": "removed", "number": json.Number("0")}},
		{Disable(), object{"status": "disabled", "number": json.Number("0")}},
		{Authorize(), object{"status": "authorized", "number": json.Number("1")}},
	}
	for _, tt := range tests {
		t.Run(string(tt.outcome.Kind), func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{})
			wantFields(t, c.must("GET", c.scripted("/product-invoices", tt.outcome), nil), tt.want)
		})
	}
}

func TestScript_stagesFollowByTime(t *testing.T) {
	t.Parallel()
	type stage struct {
		after          time.Duration
		status, detail string
	}
	tests := []struct {
		name    string
		outcome Outcome
		stages  []stage
	}{
		{"a delay replaces that of the options", Authorize().After(90 * time.Second), []stage{
			{90*time.Second - 1, "enqueued", "processing"}, {1, "authorized", "success"},
		}},
		{"received comes first", Authorize().ReceivedFirst(), []stage{
			{0, "enqueued", "processing"}, {time.Second, "received", "processing"}, {time.Second, "authorized", "success"},
		}},
		{"a failed detail is no verdict", Authorize().FailedDetailFirst(), []stage{
			{time.Second, "enqueued", "failed"}, {time.Second, "authorized", "success"},
		}},
		{"an unknown status is shown as it is", UnknownStatus("inReview", Authorize().After(5*time.Second)), []stage{
			{time.Second, "inReview", "processing"}, {5 * time.Second, "authorized", "success"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, clock := newSlowIssuer(t)
			path := c.scripted("/service-invoices", tt.outcome)
			for _, stage := range tt.stages {
				clock.Advance(stage.after)
				wantFields(t, c.must("GET", path, nil), object{"status": stage.status, "processingDetail": object{"status": stage.detail}})
			}
		})
	}
}

func TestScript_checkStatusBringsWhatTheAuthorityHolds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		path        string
		outcome     Outcome
		delay       time.Duration
		shown       string
		after, code string
	}{
		{
			"after a transient code that time does not resolve", "/service-invoices",
			TransientCode("SPD999", "sem comunicação", Reject("202", "Falha")).OnlyByCheck(), time.Second, "rejected", "rejected", "202",
		},
		{"after a stage that has no delay", "/service-invoices", TransientCode("SPD001", "em processamento", Authorize()), 0, "rejected", "authorized", ""},
		{"after a rejection that it does not share", "/product-invoices", Reject("SPD004", "já autorizada").Reconciled(Authorize()), 0, "rejected", "authorized", "100"},
		{"after a contingency that ends in a rejection", "/consumer-invoices", Contingency(Reject("302", "Irregular")), 0, "inContingent", "rejected", "302"},
		{"and nothing new of a settled invoice", "/consumer-invoices", Reject("202", "Falha"), 0, "rejected", "rejected", "202"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := NewManualClock(noon)
			c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: tt.delay})
			c.allowOffline()
			path := c.scripted(tt.path, tt.outcome)
			clock.Advance(time.Hour)
			c.wantStatusAt(path, "however much time passes", tt.shown)
			wantFields(t, c.must("POST", path+"/check-status", nil), object{"status": tt.after, "processingDetail": object{"code": orNull(tt.code)}})
		})
	}
	c := newIssuer(t, Options{})
	draft := "/service-invoices/" + c.issued("/service-invoices", object{"issue": false})
	wantStatus(t, c.do("POST", draft+"/check-status", nil), http.StatusBadRequest)
}

func TestScript_stuckMovesOnlyByCheckStatus(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	path := c.scripted("/product-invoices", StuckUntilCheck(Authorize()))
	c.refusedFor("SPD006", "POST", path+"/check-status", nil)
	clock.Advance(24 * time.Hour)
	c.wantStatusAt(path, "after a day", "enqueued")
	wantFields(t, c.must("POST", path+"/check-status", nil), object{"status": "authorized", "number": json.Number("1")})
}

func TestScript_transientCodesHaveTwoForms(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"SPD001", "SPD006", "SPD998", "SPD999"} {
		for status, outcome := range map[string]Outcome{
			"rejected": TransientCode(code, "aguarde", Authorize()),
			"enqueued": TransientCode(code, "aguarde", Authorize()).AsEnqueued(),
		} {
			t.Run(code+" "+status, func(t *testing.T) {
				t.Parallel()
				c, clock := newSlowIssuer(t)
				path := c.scripted("/service-invoices", outcome)
				clock.Advance(time.Second)
				wantFields(t, c.must("GET", path, nil), object{
					"status": status, "processingDetail": object{"code": code, "message": "aguarde"},
				})
				wantStatus(t, c.do("POST", "/service-invoices", body("/service-invoices", object{"integrationId": "s-1"})), http.StatusBadRequest)
				clock.Advance(time.Second)
				c.wantStatusAt(path, "by time", "authorized")
			})
		}
	}
}

func TestScript_anOvertakenProcessingHasNoEffect(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	path := c.scripted("/service-invoices", StuckUntilCheck(Reject("1", "alt")), Authorize().After(time.Minute))
	clock.Advance(time.Second)
	c.s.SetInvoiceStatus(c.s.Invoices("")[0]["id"].(string), "rejected")
	c.must("POST", path+"/issue", nil)
	wantStatus(t, c.do("POST", path+"/check-status", nil), http.StatusBadRequest)
	clock.Advance(time.Minute)
	c.wantStatusAt(path, "in the end", "authorized")
}

func TestScript_anNFCeIsValidInContingencyAndAuthorizedLater(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	c.allowOffline()
	path := c.scripted("/consumer-invoices", Contingency(Authorize().After(time.Minute)))
	clock.Advance(time.Second)
	inContingency := c.must("GET", path, nil)
	wantFields(t, inContingency, object{
		"status": "inContingent", "issueType": "offLine", "number": json.Number("1"), "authorization": nil,
		"contingency": object{"date": "2026-03-10T09:00:01-03:00"},
	})
	key := wantEmission(t, inContingency, '9')
	wantStatus(t, c.do("DELETE", path, object{"reason": "A venda foi desfeita"}), http.StatusBadRequest)
	clock.Advance(time.Minute)
	authorized := c.must("GET", path, nil)
	wantFields(t, authorized, object{"status": "authorized", "number": json.Number("1"), "accessKey": key})
	if authorized["authorization"] == nil {
		t.Error("the authorized invoice has no protocol")
	}
}

// Specification, What the service does, rule 8: it stays synchronous.
func TestScript_anNFeInContingencyIsAuthorizedThroughTheSVC(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		issueType string
		emission  byte
	}{"3550308": {"svcan", '6'}, "4106902": {"svcrs", '7'}} {
		c := newIssuer(t, Options{})
		c.s.locked(func() {
			c.s.update(KindCompanies, c.s.ownerID, func(doc object) {
				doc["address"] = object{"city": object{"code": state}}
			})
		})
		path := c.scripted("/product-invoices", Contingency(Reject("302", "Irregular")), Contingency(Authorize()))
		wantFields(t, c.must("GET", path, nil), object{"status": "rejected", "issueType": want.issueType, "number": json.Number("0")})
		c.must("POST", path+"/issue", nil)
		authorized := c.must("GET", path, nil)
		wantFields(t, authorized, object{"status": "authorized", "issueType": want.issueType, "contingency": object{"reason": "Autoridade fiscal indisponível"}})
		wantEmission(t, authorized, want.emission)
		wantTexts(t, c.do("GET", path+"/pdf", nil).raw, "EMITIDA EM CONTINGENCIA")
	}
}

func TestInvoice_aRequestCannotForceContingency(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	path := "/product-invoices/" + c.issued("/product-invoices", object{"issueType": "svcan", "contingency": object{"reason": "Sem internet"}})
	wantFields(t, c.must("GET", path, nil), object{"status": "authorized", "issueType": "normal", "contingency": nil})
}

// allowOffline allows the offline contingency of NFC-e.
func (c *client) allowOffline() {
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"consumerInvoice": object{"allowOfflineContingency": true}})
}

// wantEmission compares the digit of the emission type, and returns the access key.
func wantEmission(t *testing.T, invoice object, emission byte) string {
	t.Helper()
	key, _ := invoice["accessKey"].(string)
	if len(key) != 44 || key[34] != emission {
		t.Errorf("access key %q does not tell the emission type %c", key, emission)
	}
	return key
}

func TestScript_whatWasRejectedAfterContingencyKeepsItsNumberAndSeries(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.allowOffline()
	path := c.scripted("/consumer-invoices", Contingency(Reject("302", "Irregular")))
	c.must("POST", path+"/check-status", nil)
	before := c.must("GET", path, nil)
	c.issued("/consumer-invoices", object{"integrationId": "s-1", "items": []any{soldItem("1", 1, 11)}, "total": nil, "payments": []any{object{"method": "pix", "amount": 11}}})
	wantFields(t, c.must("GET", path, nil), object{
		"status": "authorized", "amount": json.Number("11"),
		"number": before["number"], "series": before["series"], "accessKey": before["accessKey"],
	})
	wantFields(t, before, object{"series": "1", "number": json.Number("1")})
}

func TestScript_contingencyNeedsThePermissionOfTheCompanyAndNeverIsForServices(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/consumer-invoices", "/service-invoices"} {
		c := newIssuer(t, Options{})
		wantFields(t, c.must("GET", c.scripted(path, Contingency(Authorize())), nil), object{
			"status": "enqueued", "processingDetail": object{"code": "SPD999"},
		})
	}
}
