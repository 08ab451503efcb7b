package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestIssuing_decidesByStatusAndCode(t *testing.T) {
	t.Parallel()
	invoice := func(status, code string) *einvoice.Invoice {
		return &einvoice.Invoice{
			Status:           einvoice.Enum(status),
			ProcessingDetail: &einvoice.ProcessingDetail{Status: "success", Code: einvoice.Text(code)},
		}
	}
	for name, test := range map[string]struct {
		invoice                  *einvoice.Invoice
		draft, acceptContingency bool
		want                     decision
	}{
		"authorized":                             {invoice: invoice("authorized", "100"), want: decideDone},
		"authorized although a draft was wanted": {invoice: invoice("authorized", "100"), draft: true, want: decideDone},
		"enqueued":                               {invoice: invoice("enqueued", ""), want: decideWait},
		"received":                               {invoice: invoice("received", ""), want: decideWait},
		"a status of the future":                 {invoice: invoice("underReview", ""), want: decideWait},
		"no status at all":                       {invoice: invoice("", ""), want: decideWait},
		"a draft that is wanted":                 {invoice: invoice("created", ""), draft: true, want: decideDone},
		"a draft that is to be issued":           {invoice: invoice("created", ""), want: decideIssue},
		"enqueued although a draft was wanted":   {invoice: invoice("enqueued", ""), draft: true, want: decideDone},
		"in contingency":                         {invoice: invoice("inContingent", ""), want: decideWait},
		"in contingency, accepted":               {invoice: invoice("inContingent", ""), acceptContingency: true, want: decideDone},
		"an NF-e in contingency, accepted":       {invoice: &einvoice.Invoice{Status: "inContingent", Model: einvoice.ModelProduct}, acceptContingency: true, want: decideWait},
		"rejected by the authority":              {invoice: invoice("rejected", "539"), want: decideReconcile},
		"rejected without a code":                {invoice: invoice("rejected", ""), want: decideReconcile},
		"rejected without a processing detail":   {invoice: &einvoice.Invoice{Status: "rejected"}, want: decideReconcile},
		"rejected before sending":                {invoice: invoice("rejected", "SPD003"), want: decideReconcile},
		"rejected because it is authorized":      {invoice: invoice("rejected", "SPD004"), want: decideAdopt},
		"rejected as unsupported":                {invoice: invoice("rejected", "SPD005"), want: decideReconcile},
		"still processing at the provider":       {invoice: invoice("rejected", "SPD001"), want: decideWait},
		"still queued":                           {invoice: invoice("rejected", "SPD006"), want: decideWait},
		"internal error, handled by the service": {invoice: invoice("rejected", "SPD998"), want: decideWait},
		"authority out of reach":                 {invoice: invoice("rejected", "spd999"), want: decideWait},
		"rejected although a draft was wanted":   {invoice: invoice("rejected", "539"), draft: true, want: decideReconcile},
		"denied":                                 {invoice: invoice("denied", "302"), want: decideEnded},
		"canceled":                               {invoice: invoice("canceled", ""), want: decideEnded},
		"removed":                                {invoice: invoice("removed", ""), want: decideEnded},
		"disabled":                               {invoice: invoice("disabled", ""), want: decideEnded},
	} {
		if got := decide(test.invoice, Want{Issue: !test.draft, AcceptContingency: test.acceptContingency}); got != test.want {
			t.Errorf("%s: decide = %d, want %d", name, got, test.want)
		}
	}
}

func TestIssuingBody_keepsThePayloadButForItsPunctuation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		payload string
		draft   bool
		want    string
	}{
		{payload: `{"total":{"invoiceAmount":10.00},"big":12345678901234567890}`, want: `{"total":{"invoiceAmount":10.00},"big":12345678901234567890,"integrationId":"order-1"}`},
		{payload: `{ "description": "A & B <c>\u00e9", "b": 1, "a": 2 }`, draft: true, want: `{ "description": "A & B <c>\u00e9", "b": 1, "a": 2 ,"integrationId":"order-1","issue":false}`},
		{payload: `{}`, want: `{"integrationId":"order-1"}`},
		{payload: `{"receiver":{"federalTaxNumber": "11.222.333/0001-81", "name": "A. B."}}`, want: `{"receiver":{"federalTaxNumber": "11222333000181", "name": "A. B."},"integrationId":"order-1"}`},
	} {
		body, err := issuingBody(json.RawMessage(test.payload), "order-1", !test.draft)
		if diff := cmp.Diff(test.want, string(body)); diff != "" || err != nil {
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
	for name, test := range map[string]struct {
		payload string
		want    int
	}{
		"the same":                       {`{"total":{"invoiceAmount":100.1},"receiver":{"federalTaxNumber":"11.222.333/0001-81"}}`, 0},
		"another amount":                 {`{"total":{"invoiceAmount":100.11}}`, 1},
		"an amount in quotes":            {`{"total":{"invoiceAmount":"100.10"}}`, 0},
		"another amount in quotes":       {`{"total":{"invoiceAmount":"100.11"}}`, 1},
		"an amount that is no number":    {`{"total":{"invoiceAmount":"Inf"}}`, 0},
		"another receiver":               {`{"receiver":{"federalTaxNumber":"52998224725"}}`, 1},
		"both":                           {`{"total":{"invoiceAmount":1},"receiver":{"federalTaxNumber":"52998224725"}}`, 2},
		"nothing that can be compared":   {`{"description":"x"}`, 0},
		"members of an unexpected shape": {`{"total":[],"receiver":"x"}`, 0},
		"payments, the same":             {`{"payments":[{"amount":100},{"amount":0.1}],"items":[{"totalAmount":7}]}`, 0},
		"payments, another amount":       {`{"payments":[{"amount":10010}]}`, 1},
		"the total before payments":      {`{"total":{"invoiceAmount":100.1},"payments":[{"amount":120}]}`, 0},
		"a payment without an amount":    {`{"payments":[{"method":"pix"},{"amount":1}],"items":[{"totalAmount":1}]}`, 0},
		"items, the same":                {`{"items":[{"totalAmount":60.05},{"totalAmount":40.05},{"totalAmount":5,"makeupTotal":false}]}`, 0},
		"items, another amount":          {`{"payments":[],"items":[{"totalAmount":10010}]}`, 1},
		"items with a discount":          {`{"items":[{"totalAmount":120,"discountAmount":19.9}]}`, 0},
		"items with a tax on top":        {`{"items":[{"totalAmount":100,"taxes":{"ipi":{"amount":0.1}}}]}`, 0},
		"an item without an amount":      {`{"items":[{"code":"a"},{"totalAmount":1}]}`, 0},
	} {
		if got := Differences(json.RawMessage(test.payload), "serviceInvoice", held); len(got) != test.want {
			t.Errorf("%s: differences = %q, want %d", name, got, test.want)
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
		if diff := cmp.Diff(test.want, Uncompared(json.RawMessage(test.payload), test.issuer, &test.held)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}

func TestDifferences_writesAmountsForAPerson(t *testing.T) {
	t.Parallel()
	held := einvoice.Number(1500000.5)
	got := Differences(json.RawMessage(`{"payments":[{"amount":0.1},{"amount":0.2}]}`), "consumerInvoice", &einvoice.Invoice{Amount: &held})
	if diff := cmp.Diff([]Difference{{"amount", "0.3", "1500000.5"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
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
