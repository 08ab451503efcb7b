package fiscal_test

import (
	"encoding/json"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSendablePayload_changesTheSpellingAlone(t *testing.T) {
	t.Parallel()
	for written, want := range rows.Read[map[string]string](t, "sendable_payload_changes_the_spelling_alone.json") {
		if got := string(fiscal.SendablePayload(json.RawMessage(written))); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", written, got, want)
		}
		if !fiscal.SamePayload(written, want) {
			t.Errorf("%s is another payload than %s", written, want)
		}
	}
	// What is not the punctuation of a number in a party stays.
	for _, kept := range []string{
		`{"receiver":{"federalTaxNumber":"AB-1234","name":"A. B.","address":{"postalCode":"K1A 0B1","street":"Rua 1.000"}},"description":"11.222.333/0001-81"}`,
		`{"receiver":{"address":{"city":{"code":"0123456"}}}}`, `{"items":[{"ncm":"1905.90.90"}],"total":1.50}`, `[1]`, `no JSON`, ``, `{"receiver":null}`,
	} {
		if got := string(fiscal.SendablePayload(json.RawMessage(kept))); got != kept {
			t.Errorf("%s becomes %s", kept, got)
		}
	}
	if fiscal.SamePayload(`{"receiver":{"federalTaxNumber":"11222333000181"}}`, `{"receiver":{"federalTaxNumber":"11222333000182"}}`) || fiscal.SamePayload(`x`, `x`) {
		t.Error("two payloads are taken for one")
	}
}

func TestPayload_turnsACustomerIntoAReceiver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ object, want string }{
		"a customer": {
			`{"receiver":{"id":"7c9e6679","name":"Café","legal_name":"Café Ltda","federal_tax_number":"12.ABC.345/01DE-35","state_tax_number":"110.042.490.114","city_tax_number":null,
				"email":"a@example.com","phone":"","mobile_phone":"(11) 98765-4321","extra_json":"{}",
				"address":{"street":"Avenida Paulista","number":"1000","district":"Bela Vista","postal_code":"01310-100","additional_information":null,
					"city":{"code":"3550308","name":"São Paulo","state":"sp"},"country":{"code":1058,"name":"Brasil"},"city_name":"São Paulo"}},
				"description":"Café & pão <b>","total":{"invoiceAmount":17.90}}`,
			`{"description":"Café \u0026 pão \u003cb\u003e","receiver":{"address":{"city":{"code":3550308,"name":"São Paulo","state":"sp"},"country":"BRA","district":"Bela Vista","number":"1000",` +
				`"postalCode":"01310100","street":"Avenida Paulista"},"email":"a@example.com","federalTaxNumber":"12ABC34501DE35","name":"Café Ltda","phoneNumber":"11987654321","stateTaxNumber":"110042490114"},` +
				`"total":{"invoiceAmount":17.90}}`,
		},
		"a customer without a legal name, abroad": {
			`{"receiver":{"name":"Pastel","legal_name":null,"federal_tax_number":"PT-501","address":{"city":null,"city_name":"Lisboa","country":{"code":6076,"name":"Portugal"}}}}`,
			`{"receiver":{"address":{"city":{"name":"Lisboa"},"country":"Portugal"},"federalTaxNumber":"PT-501","name":"Pastel"}}`,
		},
		"the address of a customer alone": {
			`{"receiver":{"name":"A","address":{"postal_code":"01310-100","country":{"code":null,"name":null}}}}`,
			`{"receiver":{"address":{"postalCode":"01310100"},"name":"A"}}`,
		},
		"the service's own names": {
			`{"receiver":{"id":"1","name":"A","federalTaxNumber":"11.222.333/0001-81","federal_tax_number":"1"},"items":[{"code":"1","ncm":null},null],"x":null}`,
			`{"items":[{"code":"1"}],"receiver":{"federalTaxNumber":"11222333000181","name":"A"}}`,
		},
	} {
		got, err := fiscal.Payload(decoded(t, test.object).(map[string]any))
		if err != nil || got != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, test.want)
		}
	}
}

func FuzzPayload(f *testing.F) {
	for _, payload := range []string{cleanNFe, cleanNFCe, cleanNFSe, `{"total":{"invoiceAmount":1e999999999}}`, `{"receiver":[],"items":[[]],"payments":{}}`, `{"receiver":{"address":{"city":{"code":"3550308"}}},"receiver":1}`} {
		f.Add("productInvoice", payload)
	}
	f.Fuzz(func(t *testing.T, model, payload string) {
		sent := fiscal.SendablePayload(json.RawMessage(payload))
		if again := fiscal.SendablePayload(sent); string(again) != string(sent) {
			t.Errorf("%q becomes %q and then %q", payload, sent, again)
		}
		value, err := jsontree.Decode([]byte(payload))
		if err != nil {
			return
		}
		if !json.Valid(sent) {
			t.Errorf("%q becomes %q, which is no JSON", payload, sent)
		}
		found := fiscal.CheckPayload(model, value, now, "")
		for i, again := range fiscal.CheckPayload(model, value, now, "") {
			if again != found[i] {
				t.Errorf("%q: %v and then %v", payload, found[i], again)
			}
		}
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		text, err := fiscal.Payload(object)
		if err != nil {
			return
		}
		rewritten, err := jsontree.Decode([]byte(text))
		if err != nil {
			t.Fatalf("%q is written as %q", payload, text)
		}
		if again, err := fiscal.Payload(rewritten.(map[string]any)); err != nil || again != text {
			t.Errorf("%q is written as %q and then %q (%v)", payload, text, again, err)
		}
	})
}
