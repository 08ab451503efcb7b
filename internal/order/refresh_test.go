package order

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// An entry of the list that shows anything otherwise than the state is not believed.
func TestOrder_isShownAsItIsInState(t *testing.T) {
	t.Parallel()
	number := einvoice.Int(7)
	state := &orderModel{
		record: record{
			TransactionID: types.StringValue("t-1"), Amount: types.Float64Value(10), Status: types.StringValue("approved"),
			AutoIssueMode: types.StringValue("immediately"),
			Invoices: invoicesFromAPI([]*einvoice.Invoice{
				{ID: "a", Model: einvoice.ModelService, Status: einvoice.StatusAuthorized, Number: &number},
				{ID: "b", Model: einvoice.ModelProduct, Status: einvoice.StatusCanceled},
			}),
		},
		ExtraJSON: attribute.JSONValue(`{"tag":1}`),
	}
	const a, b = `{"id":"a","model":"serviceInvoice","status":"authorized"}`, `{"id":"b","model":"productInvoice","status":"canceled"}`
	for name, test := range map[string]struct {
		entry string
		want  bool
	}{
		"the same":                {`{"status":"approved","amount":10.0,"tag":1,"invoices":[` + b + `,` + a + `]}`, true},
		"less":                    {`{"status":"approved","invoices":[` + a + `,` + b + `]}`, true},
		"another status":          {`{"status":"canceled","invoices":[` + a + `,` + b + `]}`, false},
		"no status":               {`{"invoices":[` + a + `,` + b + `]}`, false},
		"another amount":          {`{"status":"approved","amount":11,"invoices":[` + a + `,` + b + `]}`, false},
		"another value of extra":  {`{"status":"approved","tag":2,"invoices":[` + a + `,` + b + `]}`, false},
		"an invoice less":         {`{"status":"approved","invoices":[` + a + `]}`, false},
		"an invoice more":         {`{"status":"approved","invoices":[` + a + `,` + b + `,{"id":"c","model":"serviceInvoice","status":"enqueued"}]}`, false},
		"an invoice in its place": {`{"status":"approved","invoices":[` + a + `,{"id":"c","model":"productInvoice","status":"canceled"}]}`, false},
		"a canceled invoice":      {`{"status":"approved","invoices":[{"id":"a","model":"serviceInvoice","status":"canceled"},` + b + `]}`, false},
	} {
		held := &einvoice.Order{Raw: json.RawMessage(test.entry)}
		if err := json.Unmarshal(held.Raw, held); err != nil {
			t.Fatal(err)
		}
		if got := state.isShownBy(held); got != test.want {
			t.Errorf("%s: it is %t", name, got)
		}
	}
	unset := *state
	unset.Status = types.StringNull()
	if !unset.isShownBy(&einvoice.Order{Status: "approved", Invoices: state.invoicesInState()}) {
		t.Error("a status that is not in state is compared")
	}
}
