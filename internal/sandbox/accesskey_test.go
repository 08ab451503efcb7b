package sandbox

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

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
		if got := accessKeyDigit(key[:43]); got != int(key[43]-'0') {
			t.Errorf("digit of %s = %d", key, got)
		}
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
	service := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", nil), nil)
	wantSame(t, nil, service["accessKey"], "access key of a city's service invoice")
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"serviceInvoice": object{"issueType": "annfs"}})
	national := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", object{"nationalTaxationCode": "170101"}), nil)
	if key, _ := national["accessKey"].(string); len(key) != 50 || national["issueType"] != "annfs" {
		t.Errorf("national service invoice: key %v, issue type %v", national["accessKey"], national["issueType"])
	}
}
