package invoice

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func invoiceOf(t *testing.T, text string) *einvoice.Invoice {
	t.Helper()
	v := &einvoice.Invoice{Raw: json.RawMessage(text)}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestInvoiceFromAPI_readsEveryPart(t *testing.T) {
	t.Parallel()
	const text = `{"id":"i1","integrationId":"order-1","status":"someNewStatus","model":"productInvoice","environmentType":0,"amount":10.5,
"isFromApi":true,"govPurchase":{"type":"union","rate":0.1},"authorizedPersons":["52998224725"],"order":{"id":"o1","date":"","transactionId":"sale-1"},
"company":{"name":"Padaria","federalTaxNumber":"11222333000181"},"rps":{"number":7,"series":"A"},
"receiver":{"name":"Ana","suframaTaxNumber":"1","municipalTaxNumber":"2","address":{"street":"Rua A","country":"BRA","city":{"code":3550308,"name":"São Paulo","state":"sp"}}},
"pickup":{"name":"Doca","phoneNumber":"1133334444"},"unknownField":{"x":1}}`
	got := invoiceFromAPI(invoiceOf(t, text), einvoice.ModelProduct)
	null := types.StringNull()
	want := invoiceModel{
		Essentials: Essentials{ID: types.StringValue("i1"), Status: types.StringValue("someNewStatus"), Amount: types.Float64Value(10.5)},
		Details: Details{
			RPS:           types.ObjectValueMust(typesOf(detailsTypes["rps"]), map[string]attr.Value{"number": types.Int64Value(7), "series": types.StringValue("A")}),
			Authorization: detail("authorization", nil), Cancellation: detail("cancellation", nil),
			ProcessingDetail: detail("processing_detail", nil), Contingency: detail("contingency", nil),
		},
		IntegrationID: types.StringValue("order-1"), Model: types.StringValue("productInvoice"), IsFromAPI: types.BoolValue(true),
		GovPurchase:       &govPurchaseModel{Type: types.StringValue("union"), Rate: types.Float64Value(0.1)},
		AuthorizedPersons: []types.String{types.StringValue("52998224725")},
		Order:             &invoiceOrderModel{ID: types.StringValue("o1"), Date: null, TransactionID: types.StringValue("sale-1")},
		Company:           &invoiceCompanyModel{Name: types.StringValue("Padaria"), FederalTaxNumber: types.StringValue("11222333000181")},
		Receiver: &receiverModel{
			partyModel: partyModel{Name: types.StringValue("Ana"), Address: &partyAddressModel{
				Street: types.StringValue("Rua A"), Country: types.StringValue("BRA"),
				City: &partyCityModel{Code: types.StringValue("3550308"), Name: types.StringValue("São Paulo"), State: types.StringValue("sp")},
			}},
			SuframaTaxNumber: types.StringValue("1"), MunicipalTaxNumber: types.StringValue("2"),
		},
		Pickup:  &partyModel{Name: types.StringValue("Doca"), PhoneNumber: types.StringValue("1133334444")},
		RawJSON: types.StringValue(text),
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(receiverModel{})); diff != "" {
		t.Error(diff)
	}
}

func TestInvoiceFromAPI_showsTheModelThatWasAskedFor(t *testing.T) {
	t.Parallel()
	got := invoiceFromAPI(&einvoice.Invoice{ID: "i1", AuthorizedPersons: []einvoice.Text{}}, einvoice.ModelService)
	if got.Model.ValueString() != "serviceInvoice" {
		t.Errorf("model is %s, want serviceInvoice", got.Model)
	}
	if got.AuthorizedPersons == nil {
		t.Error("an empty list became null")
	}
}

func TestTheOne(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		statuses []einvoice.Enum
		want     string
	}{
		{"none", nil, ""},
		{"a single rejected one", []einvoice.Enum{"rejected"}, "0"},
		{"rejected ones beside the one that was sent again", []einvoice.Enum{"rejected", "authorized", "rejected"}, "1"},
		{"several rejected ones", []einvoice.Enum{"rejected", "rejected"}, ""},
		{"two that are not rejected", []einvoice.Enum{"canceled", "authorized"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var found []*einvoice.Invoice
			for i, status := range test.statuses {
				found = append(found, &einvoice.Invoice{ID: einvoice.Text(rune('0' + i)), Status: status})
			}
			got := ""
			if v := theOne(found); v != nil {
				got = string(v.ID)
			}
			if got != test.want {
				t.Errorf("chose %q, want %q", got, test.want)
			}
		})
	}
}
