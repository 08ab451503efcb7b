package order

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
	for name, test := range rows.Read[map[string]struct {
		Entry string
		Want  bool
	}](t, "order_is_shown_as_it_is_in_state.json") {
		held := &einvoice.Order{Raw: json.RawMessage(test.Entry)}
		expect.NoError(t, json.Unmarshal(held.Raw, held))
		expect.Is(t, state.isShownBy(held), test.Want, "%s: it", name)
	}
	unset := *state
	unset.Status = types.StringNull()
	if !unset.isShownBy(&einvoice.Order{Status: "approved", Invoices: state.invoicesInState()}) {
		t.Error("a status that is not in state is compared")
	}
}
