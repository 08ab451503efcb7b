package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

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
	for model, path := range pathsOf {
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
