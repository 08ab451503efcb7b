package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

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
