package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestIssuingBody_keepsThePayloadButForItsPunctuation(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Payload string
		Draft   bool
		Want    string
	}](t, "issuing_body_keeps_the_payload_but_for_its_punctuation.json") {
		body, err := issuingBody(json.RawMessage(test.Payload), "order-1", !test.Draft)
		if diff := cmp.Diff(test.Want, string(body)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if body, err := issuingBody(json.RawMessage(`[]`), "order-1", true); err == nil {
		t.Errorf("a payload that is no object is sent as %s", body)
	}
}

func TestDifferences_comparesWhatBothSidesKnow(t *testing.T) {
	t.Parallel()
	amount := einvoice.Number(100.10)
	held := &einvoice.Invoice{Model: "serviceInvoice", Amount: &amount, Receiver: &einvoice.Party{FederalTaxNumber: "11222333000181"}}
	for name, test := range rows.Read[map[string]struct {
		Payload string
		Want    int
	}](t, "differences_compares_what_both_sides_know.json") {
		if got := Differences(json.RawMessage(test.Payload), "serviceInvoice", held); len(got) != test.Want {
			t.Errorf("%s: differences = %q, want %d", name, got, test.Want)
		}
	}
	if got := Differences(json.RawMessage(`{}`), "productInvoice", held); len(got) != 1 {
		t.Errorf("differences = %q, want the model", got)
	}
}

func TestUncompared_namesWhatOneSideDoesNotShow(t *testing.T) {
	t.Parallel()
	amount, none := einvoice.Number(100), einvoice.Number(0)
	maria := &einvoice.Party{FederalTaxNumber: "52998224725"}
	for name, test := range map[string]struct {
		payload string
		held    einvoice.Invoice
		want    []string
		issuer  string
	}{
		"all is known":                    {`{"payments":[{"amount":1}],"receiver":{"federalTaxNumber":"1"}}`, einvoice.Invoice{Amount: &amount, Receiver: maria}, nil, ""},
		"neither has a receiver":          {`{"items":[{"totalAmount":1}]}`, einvoice.Invoice{Amount: &amount}, nil, ""},
		"no amount is configured":         {`{"description":"x"}`, einvoice.Invoice{Amount: &amount}, []string{"amount"}, ""},
		"a sum that nobody can tell":      {`{"items":[{"totalAmount":1,"discountAmount":1}]}`, einvoice.Invoice{Amount: &amount}, []string{"amount"}, ""},
		"the service shows no amount":     {`{"total":{"invoiceAmount":1}}`, einvoice.Invoice{Amount: &none}, []string{"amount"}, ""},
		"the service shows no receiver":   {`{"total":{"invoiceAmount":1},"receiver":{"federalTaxNumber":"1"}}`, einvoice.Invoice{Amount: &amount}, []string{"receiver"}, ""},
		"the service shows no company":    {`{"total":{"invoiceAmount":1}}`, einvoice.Invoice{Amount: &amount}, []string{"issuer"}, "11222333000181"},
		"the service shows a company":     {`{"total":{"invoiceAmount":1}}`, einvoice.Invoice{Amount: &amount, Company: &einvoice.InvoiceCompany{FederalTaxNumber: "1"}}, nil, "11222333000181"},
		"nothing is known of the payload": {``, einvoice.Invoice{Amount: &amount, Receiver: maria}, []string{"amount", "receiver"}, ""},
	} {
		expect.Same(t, test.want, Uncompared(json.RawMessage(test.payload), test.issuer, &test.held), "%s", name)
	}
}

func TestDifferences_writesAmountsForAPerson(t *testing.T) {
	t.Parallel()
	held := einvoice.Number(1500000.5)
	got := Differences(json.RawMessage(`{"payments":[{"amount":0.1},{"amount":0.2}]}`), "consumerInvoice", &einvoice.Invoice{Amount: &held})
	expect.Same(t, []Difference{{"amount", "0.3", "1500000.5"}}, got)
}

func TestIssuing_knowsItsPayloadInEverySpelling(t *testing.T) {
	t.Parallel()
	content := func(payload string) string { return (&Issuing{Payload: json.RawMessage(payload)}).content() }
	plain := content(`{"total":{"invoiceAmount":100},"receiver":{"federalTaxNumber":"11222333000181"}}`)
	if content(`{"receiver": {"federalTaxNumber": "11.222.333/0001-81"}, "total": {"invoiceAmount": 100}}`) != plain {
		t.Error("the same payload, written in another way, is another one")
	}
	if content(`{"total":{"invoiceAmount":101},"receiver":{"federalTaxNumber":"11222333000181"}}`) == plain {
		t.Error("another payload is the same")
	}
}
