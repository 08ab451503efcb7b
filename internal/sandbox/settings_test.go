package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// spelled returns the fields of one block of a settings answer as they are spelled.
func spelled(t *testing.T, answer, block string) map[string]string {
	t.Helper()
	var doc map[string]json.RawMessage
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer), &doc); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if err := json.Unmarshal(doc[block], &fields); err != nil {
		t.Fatalf("%s of %s: %v", block, answer, err)
	}
	out := map[string]string{}
	for name, value := range fields {
		out[name] = string(value)
	}
	return out
}

// wantSpelled compares a settings answer with a spelling of every field that the service has.
func wantSpelled(t *testing.T, answer string, spelling func(settingsField) string) {
	t.Helper()
	for _, shape := range settingsBlocks {
		want := map[string]string{}
		for _, field := range shape.fields {
			want[field.name] = spelling(field)
		}
		wantSame(t, want, spelled(t, answer, shape.name), "%s", shape.name)
	}
}

func ownSettings(c *client) string { return "/companies/" + c.s.OwnerCompanyID() + "/settings" }

// oneBlock is a PUT body with one block.
func oneBlock(name string, fields object) object { return object{name: fields} }

func TestSettings_ofANewCompanyHaveDefaultsAndFieldsNobodyKnows(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := newBranch(c)
	g := c.do("GET", "/companies/"+id+"/settings", nil)
	wantStatus(t, g, http.StatusOK)
	wantSpelled(t, g.raw, func(f settingsField) string { return f.fresh })
	wantFields(t, g.doc, object{"companyId": id})
}

func TestSettings_aFieldLeftOutOfASentBlockGoesToItsDefault(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{SecretReads: SecretsClear})
	c.must("PUT", ownSettings(c), object{
		"general": object{"decimalPrecision": 4, "allowNaturalPersonCompany": true, "technicalResponsible": object{"contactName": "A"}},
		"productInvoice": object{
			"series": "2", "nextNumber": 7, "environmentType": "development", "danfePrintLayout": "simplified", "inbound": object{"enabled": true},
		},
		"consumerInvoice": object{"series": "3", "nextNumber": 8, "tokenId": "1", "csc": "s3cret", "allowOfflineContingency": true},
		"serviceInvoice":  object{"issueType": "annfs", "userName": "u", "password": "p", "nextBatchNumber": 9, "sendCityTaxNumber": true},
	})
	g := c.do("PUT", ownSettings(c), `{"general":{},"productInvoice":{},"consumerInvoice":{},"serviceInvoice":{}}`)
	wantStatus(t, g, http.StatusOK)
	wantSpelled(t, g.raw, func(f settingsField) string { return f.reset })
}

func TestSettings_anUnsetEnumIsAcceptedBackAndSoIsNull(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, unset := range []string{"0", "null"} {
		g := c.do("PUT", ownSettings(c), `{"serviceInvoice":{"environmentType":`+unset+`,"issueType":`+unset+`,"sendCityTaxNumber":null}}`)
		wantStatus(t, g, http.StatusOK)
		wantFields(t, g.doc, oneBlock("serviceInvoice", object{
			"environmentType": json.Number("0"), "issueType": json.Number("0"), "sendCityTaxNumber": false,
		}))
	}
}

func TestSettings_valuesComeBackByteForByte(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	general := `{ "decimalPrecision":2, "roundingTolerance": 1.50, "documentDelivery":{"z": "\u00e3\u003c<&>",  "a":[1.0, 2e3],"n":null},
		"invented": {"b":0.10,"a":"\/"}, "technicalResponsible": {"federalTaxNumber":"45997418000153","contactName":"Jo\u00e3o","email":null,"phone":null,"csrts":[ 1.0 ]} }`
	var sent map[string]json.RawMessage
	expect.NoError(t, json.Unmarshal([]byte(general), &sent))
	wantStatus(t, c.do("PUT", ownSettings(c), `{"general":`+general+`}`), http.StatusOK)
	for _, answer := range []string{c.do("GET", ownSettings(c), nil).raw, string(c.s.SettingsJSON(c.s.OwnerCompanyID()))} {
		got := spelled(t, answer, "general")
		for name, want := range sent {
			wantSame(t, string(want), got[name], "%s", name)
		}
	}
}

func TestSettings_whatTheServiceNormalizesIsAnsweredInItsOwnSpelling(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	doc := c.must("PUT", ownSettings(c), object{
		"general":        object{"technicalResponsible": object{"federalTaxNumber": "45.997.418/0001-53", "phone": "(11) 3333-4444", "nick": "x"}},
		"productInvoice": object{"series": 7, "nextNumber": "12", "environmentType": "DEVELOPMENT", "inbound": object{"enabled": true, "startDate": "2026-01-01"}},
	})
	wantFields(t, doc, object{
		"general": object{"technicalResponsible": object{
			"federalTaxNumber": "45997418000153", "phone": "1133334444", "contactName": nil, "email": nil, "csrts": nil, "nick": "x",
		}},
		"productInvoice": object{
			"series": "7", "nextNumber": json.Number("12"), "environmentType": "development",
			"inbound": object{"enabled": true, "startDate": "2026-01-01"},
		},
	})
}

func TestSettings_aFieldNobodyKnowsIsKeptWhileItIsSentAndNoted(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	wantFields(t, c.must("PUT", ownSettings(c), oneBlock("general", object{"invented": 1})), oneBlock("general", object{"invented": json.Number("1")}))
	doc := c.must("PUT", ownSettings(c), oneBlock("general", object{"decimalPrecision": 2, "roundingTolerance": 1}))
	if _, kept := doc["general"].(object)["invented"]; kept {
		t.Error("a field that was left out is still there")
	}
	// Sent one level too high, everything is ignored and the answer is a success.
	c.must("PUT", ownSettings(c), object{"decimalPrecision": 5, "companyId": "x"})
	want := []UnknownField{
		{"PUT", "/v1/companies/{id}/settings", "general.invented"}, {"PUT", "/v1/companies/{id}/settings", "decimalPrecision"},
	}
	wantSame(t, want, c.s.UnknownFields(), "unknown fields")
}

func TestSettings_refusesWhatIsWrongAndChangesNothing(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	before := string(c.s.SettingsJSON(c.s.OwnerCompanyID()))
	const offline = "consumerInvoice.allowOfflineContingency: The field AllowOfflineContingency requires TokenId and Csc."
	tests := rows.Read[[]struct {
		Name   string
		Block  string
		Fields object
		Want   string
	}](t, "settings_refuses_what_is_wrong_and_changes_nothing.json")
	for _, tt := range tests {
		rows.Case(t, tt.Name, func(t *testing.T) {
			c := c.in(t)
			body := oneBlock(tt.Block, tt.Fields)
			if tt.Block != "general" {
				body["general"] = object{"decimalPrecision": 9}
			}
			c.refused("PUT", ownSettings(c), body, tt.Want)
		})
	}
	t.Cleanup(func() {
		wantSame(t, before, string(c.s.SettingsJSON(c.s.OwnerCompanyID())), "the settings after a refused PUT")
	})
	wantStatus(t, c.do("PUT", ownSettings(c), `{"general":[]}`), http.StatusBadRequest)
}

func TestSettings_secretsAreReadAsTheAccountDoes(t *testing.T) {
	t.Parallel()
	for reads, want := range map[string][2]string{
		"": {`"s3****"`, `"pa**"`}, SecretsMasked: {`"s3****"`, `"pa**"`}, SecretsHidden: {`"******"`, `"****"`},
		SecretsClear: {`"s\u0033cret"`, `"pa\u0073s"`}, SecretsAbsent: {"", ""}, SecretsNull: {"null", "null"},
	} {
		c := newClient(t, Options{SecretReads: reads})
		before := c.do("GET", ownSettings(c), nil).raw
		wantSame(t, "null", spelled(t, before, "consumerInvoice")["csc"], "%q: an unset secret", reads)
		put := c.do("PUT", ownSettings(c), `{"consumerInvoice":{"tokenId":"1","csc":"s\u0033cret"},"serviceInvoice":{"password":"pa\u0073s"}}`)
		wantStatus(t, put, http.StatusOK)
		for _, raw := range []string{put.raw, c.do("GET", ownSettings(c), nil).raw} {
			got := [2]string{spelled(t, raw, "consumerInvoice")["csc"], spelled(t, raw, "serviceInvoice")["password"]}
			wantSame(t, want, got, "%q: csc and password", reads)
		}
		wantFields(t, c.s.SettingsClear(c.s.OwnerCompanyID()), object{
			"consumerInvoice": object{"csc": "s3cret"}, "serviceInvoice": object{"password": "pass"},
		})
	}
}

func TestSettings_aMaskThatIsWrittenBackBecomesTheSecret(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.SetSettings(c.s.OwnerCompanyID(), oneBlock("consumerInvoice", object{"tokenId": "1", "csc": "s3cret"}))
	c.must("PUT", ownSettings(c), c.must("GET", ownSettings(c), nil))
	wantFields(t, c.s.SettingsClear(c.s.OwnerCompanyID()), oneBlock("consumerInvoice", object{"csc": "s3****"}))
	wantSame(t, []UnknownField(nil), c.s.UnknownFields(), "unknown fields")
}

func TestSetSettings_setsWhatItNamesInItsSpelling(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.OwnerCompanyID()
	before := spelled(t, string(c.s.SettingsJSON(id)), "productInvoice")
	if !c.s.SetSettings(id, oneBlock("productInvoice", object{"nextNumber": 40, "late": json.RawMessage(`{"x": 1.0}`)})) {
		t.Fatal("the main company has no settings")
	}
	before["nextNumber"], before["late"] = "40", `{"x": 1.0}`
	wantSame(t, before, spelled(t, string(c.s.SettingsJSON(id)), "productInvoice"), "the block")
	if c.s.SetSettings("nobody", nil) || c.s.SettingsJSON("nobody") != nil {
		t.Error("a company that does not exist has settings")
	}
}

func TestSettingsBlock_isAliveAndItsChangesAreAnswered(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.locked(func() {
		values := c.s.settingsBlock(c.s.OwnerCompanyID(), "productInvoice")
		values["nextNumber"] = json.Number("2")
		if integer(c.s.settingsBlock(c.s.OwnerCompanyID(), "productInvoice"), "nextNumber") != 2 {
			t.Error("the change is not seen")
		}
		if c.s.settingsBlock("nobody", "productInvoice") != nil || c.s.settingsBlock(c.s.OwnerCompanyID(), "nothing") != nil {
			t.Error("a block of nobody, or one that does not exist, is not nil")
		}
	})
	wantTexts(t, c.do("GET", ownSettings(c), nil).raw, `"productInvoice":{"series":"1","nextNumber":2,`)
}

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
		rows.Case(t, tt.name, func(t *testing.T) {
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
		{"after a contingency that ends in a rejection", "/product-invoices", Contingency(Reject("302", "Irregular")), 0, "inContingent", "rejected", "302"},
		{"and nothing new of a settled invoice", "/consumer-invoices", Reject("202", "Falha"), 0, "rejected", "rejected", "202"},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			clock := NewManualClock(noon)
			c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: tt.delay})
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

func TestScript_whatWasRejectedAfterContingencyKeepsItsNumberAndSeries(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	path := c.scripted("/product-invoices", Contingency(Reject("302", "Irregular")))
	c.must("POST", path+"/check-status", nil)
	before := c.must("GET", path, nil)
	c.issued("/product-invoices", object{"integrationId": "s-1", "items": []any{soldItem("1", 1, 11)}, "total": nil, "payments": []any{object{"method": "pix", "amount": 11}}})
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
