package sandbox

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// issuing are the paths of the three models.
var issuing = []string{service, product, consumer}

// buyer is a person in the main company's city.
func buyer(name string) object {
	return object{
		"name": name, "federalTaxNumber": "52998224725",
		"address": object{"street": "Rua A", "number": "1", "district": "Centro", "city": object{"code": 3550308}},
	}
}

// newIssuer is a client whose company may issue NFC-e too.
func newIssuer(t *testing.T, opts Options) *client {
	t.Helper()
	c := newClient(t, opts)
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"consumerInvoice": object{"tokenId": "000001", "csc": "SECRET"}})
	return c
}

// newSlowIssuer is newIssuer where the authority takes a second, by the clock.
func newSlowIssuer(t *testing.T) (*client, *ManualClock) {
	t.Helper()
	clock := NewManualClock(noon)
	return newIssuer(t, Options{Clock: clock, AuthorizeAfter: time.Second}), clock
}

// issued posts the body and returns the id.
func (c *client) issued(path string, more object) string {
	c.t.Helper()
	return c.must("POST", path, body(path, more))["id"].(string)
}

func statusOf(t *testing.T, c *client, path, id string) string {
	t.Helper()
	status, _ := c.must("GET", path+"/"+id, nil)["status"].(string)
	return status
}

func TestInvoice_readShapeHasEveryFieldAndNullsForUnsetOnes(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	for path, model := range map[string]string{
		"/service-invoices": "serviceInvoice", "/product-invoices": "productInvoice", "/consumer-invoices": "consumerInvoice",
	} {
		doc := c.must("POST", path, body(path, object{"status": "created"})) // Which is ignored.
		for _, field := range append(invoiceShape().Fields, "transmission") {
			top, _, _ := strings.Cut(field, ".")
			if _, ok := doc[top]; !ok && (model == "serviceInvoice" || !slices.Contains(absent["Invoice"], top)) {
				t.Errorf("%s: the answer has no %s", path, top)
			}
		}
		wantFields(t, doc, object{
			"status": "enqueued", "isFromApi": true, "model": model, "debitType": nil, "issuedOn": "2026-03-10T09:00:00-03:00",
			"company": object{"federalTaxNumber": "98765432000198"},
		})
		for name := range doc {
			if strings.HasPrefix(name, "_") {
				t.Errorf("%s: the answer shows %s", path, name)
			}
		}
	}
}

func TestInvoice_listFiltersByEquality(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	for _, n := range []string{"1", "11"} {
		c.issued("/service-invoices", object{
			"integrationId": "id-" + n, "effectiveDate": "2026-03-" + (n + "0")[:2] + "T10:00:00-03:00",
			"receiver": object{"name": "Name " + n, "federalTaxNumber": []string{"52998224725", "11144477735"}[len(n)-1], "email": n + "@a.example"},
		})
	}
	for query, want := range rows.Read[map[string][]string](t, "invoice_list_filters_by_equality.json") {
		var ids []string
		for _, item := range c.items("/service-invoices?" + query) {
			ids = append(ids, item.(object)["integrationId"].(string))
		}
		wantSame(t, want, ids, "found by %s", query)
	}
	wantStatus(t, c.do("GET", "/service-invoices?effectiveDateStart=x", nil), http.StatusBadRequest)
}

// history is that of a document of any kind.
func (c *client) history(id string) []stateChange {
	for _, kind := range kinds {
		if e := c.s.shelf(kind).byID[id]; e != nil {
			return e.history
		}
	}
	c.t.Fatalf("there is no document %s", id)
	return nil
}

func TestHistory_isWhatBecameOfAnInvoice(t *testing.T) {
	t.Parallel()
	const queued = "Nota fiscal na fila de processamento"
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	tests := []struct {
		name string
		live func(c *client, clock *ManualClock) (id string)
		want []stateChange
	}{
		{"authorized", func(c *client, clock *ManualClock) string {
			id := c.issued("/product-invoices", nil)
			clock.Advance(4 * time.Second)
			return id
		}, []stateChange{{at(0), "enqueued", "", queued}, {at(4), "authorized", "100", "Autorizado o uso da NF-e"}}},
		{"rejected, and sent again", func(c *client, clock *ManualClock) string {
			c.s.ScriptInvoice("a", Reject("778", "NCM"))
			id := c.issued("/service-invoices", object{"integrationId": "a"})
			clock.Advance(4 * time.Second)
			c.issued("/service-invoices", object{"integrationId": "a"})
			clock.Advance(4 * time.Second)
			return id
		}, []stateChange{
			{at(0), "enqueued", "", queued}, {at(4), "rejected", "778", "NCM"}, {at(4), "enqueued", "", queued}, {at(8), "authorized", "", "NFS-e autorizada"},
		}},
		{"changed by somebody else", func(c *client, clock *ManualClock) string {
			id := c.s.Seed(KindConsumerInvoices, object{})
			clock.Advance(time.Second)
			c.s.Patch(KindConsumerInvoices, id, object{"amount": 3})
			c.s.Patch(KindConsumerInvoices, id, object{"status": "odd"})
			clock.Advance(time.Second)
			c.s.SetInvoiceStatus(id, "canceled")
			return id
		}, []stateChange{{at(0), "authorized", "", ""}, {at(1), "odd", "", ""}, {at(2), "canceled", "", ""}}},
		{"in its cancellation", func(c *client, clock *ManualClock) string {
			id := c.s.Seed(KindServiceInvoices, object{})
			clock.Advance(time.Second)
			c.must("DELETE", "/service-invoices/"+id, object{"reason": "Emitida em duplicidade"})
			return id
		}, []stateChange{{at(0), "authorized", "", ""}, {at(1), "authorized", "SPD002", "Cancelamento em processamento"}}},
		{"nothing", func(c *client, _ *ManualClock) string {
			return c.s.Seed(KindOrders, object{"status": "created"})
		}, nil},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			clock := NewManualClock(noon)
			c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: 4 * time.Second})
			wantSame(t, tt.want, c.history(tt.live(c, clock)), "history")
		})
	}
}

func TestAccessKey_isBuiltFromItsParts(t *testing.T) {
	t.Parallel()
	november := time.Date(2026, 11, 30, 23, 0, 0, 0, localZone)
	key := accessKey("35", november, "12ABC34501DE35", "55", "1", 42, emissionNormal, "12345678")
	wantSame(t, "35261112ABC34501DE35550010000000421123456788", key, "the key of an alphanumeric issuer")
	key = accessKey("35", november, "52998224725", "65", "A", 1, emissionOffline, "00000001")
	if len(key) != 44 || key[6:20] != "00052998224725" || key[22:25] != "000" || key[34] != '9' {
		t.Errorf("the key of a person = %s, want the number filled up with zeros, no series, and the emission", key)
	}
}

func TestAccessKey_checkDigitOfRealKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"13181017921427000125650010000000309887251170", "33150308370779000149550010001100931002410775"} {
		expect.Is(t, accessKeyDigit(key[:43]), int(key[43]-'0'), "digit of %s", key)
	}
}

func TestInvoice_accessKeyNamesIssuerStateSeriesAndNumber(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	company := c.s.Seed(KindCompanies, object{
		"name": "Filial", "federalTaxNumber": "12ABC34501DE35", "stateTaxNumber": "12345678",
		"address": object{"city": object{"code": "3304557", "name": "Rio de Janeiro", "state": "rj"}},
	})
	c.s.SetSettings(company, object{"productInvoice": object{"series": "7", "nextNumber": 1234}})
	second := c.as(company)
	for i, want := range []string{
		"33260312ABC34501DE35550070000012341", "33260312ABC34501DE35550070000012351",
	} {
		doc := second.must("GET", "/product-invoices/"+second.issued("/product-invoices", nil), nil)
		key, _ := doc["accessKey"].(string)
		if !strings.HasPrefix(key, want) || len(key) != 44 || accessKeyDigit(key[:43]) != int(key[43]-'0') {
			t.Errorf("key %d = %s, want %s with a code and its check digit", i, key, want)
		}
		protocol, _ := doc["authorization"].(object)["protocol"].(string)
		if !regexp.MustCompile(`^13326[0-9]{10}$`).MatchString(protocol) {
			t.Errorf("protocol = %s", protocol)
		}
		wantSame(t, 28, len(doc["authorization"].(object)["digestValue"].(string)), "length of the digest value")
	}
	own := c.must("GET", "/consumer-invoices/"+c.issued("/consumer-invoices", nil), nil)["accessKey"].(string)
	if !strings.HasPrefix(own, "35260398765432000198650010000000011") {
		t.Errorf("key of a company without a city = %s, want state 35 and model 65", own)
	}
	service := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", object{"effectiveDate": "2026-03-09T09:00:00-03:00"}), nil)
	wantFields(t, service, object{"effectiveDate": "2026-03-09T09:00:00-03:00", "issuedOn": "2026-03-09T09:00:00-03:00"})
	wantSame(t, nil, service["accessKey"], "access key of a city's service invoice")
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"serviceInvoice": object{"issueType": "annfs"}})
	national := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", object{"nationalTaxationCode": "170101"}), nil)
	if key, _ := national["accessKey"].(string); len(key) != 50 || national["issueType"] != "annfs" {
		t.Errorf("national service invoice: key %v, issue type %v", national["accessKey"], national["issueType"])
	}
}
