package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestOptions_onlySpecifiedLeavesOutWhatTheSpecificationDoesNotName(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{OnlySpecified: true})
	offered := map[string]bool{}
	for _, r := range c.s.Routes() {
		if r.Source == SourceAssumed {
			t.Errorf("%s is listed", r.Pattern())
		}
		offered[r.Pattern()] = true
	}
	whole := New(Options{})
	t.Cleanup(whole.Close)
	for _, r := range append(whole.Routes(), Route{Method: "PATCH", Path: "/v1/customers"}) {
		path := strings.NewReplacer("{id}", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "{cityCode}", "3550308").Replace(r.Path)
		got := c.do(r.Method, strings.TrimPrefix(path, "/v1"), nil)
		if none := got.status == http.StatusNotFound && strings.Contains(got.raw, "<html"); none == offered[r.Pattern()] {
			t.Errorf("%s is answered %d %s, offered: %t", r.Pattern(), got.status, got.raw, offered[r.Pattern()])
		}
	}
}

func TestOptions_withoutLeavesOutOneOperation(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Without: []string{"GET /v1/orders"}})
	if got := c.do("GET", "/orders", nil); got.status != http.StatusNotFound {
		t.Errorf("GET /orders = %d", got.status)
	}
	if got := c.do("POST", "/orders", map[string]any{}); got.status != http.StatusBadRequest {
		t.Errorf("POST /orders = %d", got.status)
	}
}

const draftOfAService = `{"integrationId":"a","issue":false,"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`

func TestOptions_queueDraftsIssuesThem(t *testing.T) {
	t.Parallel()
	for queued, want := range map[bool]string{false: "created", true: "enqueued"} {
		c := newClient(t, Options{QueueDrafts: queued})
		if doc := c.must("POST", "/service-invoices", draftOfAService); doc["status"] != want {
			t.Errorf("queued: %t: the draft is %v, want %s", queued, doc["status"], want)
		}
	}
}

func TestOptions_checkStatusQueuedRefusesWhateverTheInvoiceIs(t *testing.T) {
	t.Parallel()
	for queued, want := range map[bool]int{false: http.StatusOK, true: http.StatusBadRequest} {
		c := newClient(t, Options{CheckStatusQueued: queued})
		id := c.s.Seed(KindProductInvoices, map[string]any{"status": "rejected"})
		if got := c.do("POST", "/product-invoices/"+id+"/check-status", nil); got.status != want {
			t.Errorf("queued: %t: check-status = %d, want %d", queued, got.status, want)
		}
	}
}

func TestOptions_cancelByPostHasNoDelete(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{CancelByPost: true})
	path := "/service-invoices/" + c.s.Seed(KindServiceInvoices, map[string]any{"status": "authorized"})
	reason := map[string]any{"reason": "Serviço não prestado"}
	if got := c.do("DELETE", path, reason); got.status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE = %d", got.status)
	}
	c.must("POST", path+"/cancel", reason)
	if doc := c.must("GET", path, nil); doc["status"] != "canceled" {
		t.Errorf("the invoice is %v", doc["status"])
	}
}

func TestOptions_listsWithoutIntegrationIDShowItByID(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{ListsWithoutIntegrationID: true})
	id, _ := c.must("POST", "/service-invoices", draftOfAService)["id"].(string)
	if got := c.do("GET", "/service-invoices?integrationId=a", nil); !strings.Contains(got.raw, id) || strings.Contains(got.raw, `"integrationId"`) {
		t.Errorf("the list is %s", got.raw)
	}
	if doc := c.must("GET", "/service-invoices/"+id, nil); doc["integrationId"] != "a" {
		t.Errorf("the invoice shows %v", doc["integrationId"])
	}
}

func TestOptions_settingsReplaceAllResetsTheOtherBlocks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		all, filled bool
		want        string
	}{
		{false, false, `"series":"7"`},
		{true, false, `"series":null,"nextNumber":null,`},
		{true, true, `"series":"1","nextNumber":1,`},
	} {
		c := newClient(t, Options{SettingsReplaceAll: test.all, SettingsResetFilled: test.filled})
		path := "/companies/" + c.s.OwnerCompanyID() + "/settings"
		for _, block := range []string{"productInvoice", "consumerInvoice", "serviceInvoice"} {
			c.s.SetSettings(c.s.OwnerCompanyID(), map[string]any{block: map[string]any{"series": "7"}})
		}
		c.must("PUT", path, map[string]any{"general": map[string]any{"decimalPrecision": 3}})
		if got := c.do("GET", path, nil); strings.Count(got.raw, test.want) != 3 {
			t.Errorf("%+v: the settings are %s", test, got.raw)
		}
	}
}
