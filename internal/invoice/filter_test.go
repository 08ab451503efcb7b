package invoice

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestListModel_filter(t *testing.T) {
	t.Parallel()
	invoice := &einvoice.Invoice{
		IntegrationID: "order-1", Status: "authorized", EffectiveDate: "2026-11-15T10:00:00-03:00",
		Order: &einvoice.InvoiceOrder{TransactionID: "sale-1"}, Receiver: &einvoice.Party{FederalTaxNumber: "11222333000181"},
	}
	bare := &einvoice.Invoice{IntegrationID: "order-2", Status: "created"}
	for _, test := range []struct {
		name    string
		config  listModel
		invoice *einvoice.Invoice
		want    bool
	}{
		{"no filter takes everything", listModel{}, bare, true},
		{"the integration id is compared whole", listModel{IntegrationID: types.StringValue("order-1")}, invoice, true},
		{"a prefix of the integration id is another one", listModel{IntegrationID: types.StringValue("order")}, invoice, false},
		{"the integration id is compared with its case", listModel{IntegrationID: types.StringValue("ORDER-1")}, invoice, false},
		{"the transaction is the order's", listModel{TransactionID: types.StringValue("sale-1")}, invoice, true},
		{"an invoice without an order has no transaction", listModel{TransactionID: types.StringValue("sale-1")}, bare, false},
		{"the receiver may be written with punctuation", listModel{ReceiverFederalTaxNumber: attribute.SpelledOrNull(attribute.TaxNumberSpelling, "11.222.333/0001-81")}, invoice, true},
		{"another receiver", listModel{ReceiverFederalTaxNumber: attribute.SpelledOrNull(attribute.TaxNumberSpelling, "52998224725")}, invoice, false},
		{"an invoice without a receiver has none of them", listModel{ReceiverFederalTaxNumber: attribute.SpelledOrNull(attribute.TaxNumberSpelling, "52998224725")}, bare, false},
		{"one of several statuses", listModel{Statuses: []types.String{types.StringValue("denied"), types.StringValue("authorized")}}, invoice, true},
		{"another status", listModel{Statuses: []types.String{types.StringValue("denied")}}, invoice, false},
		{"the start is inclusive", listModel{EffectiveDateStart: types.StringValue("2026-11-15T13:00:00Z")}, invoice, true},
		{"the end is inclusive", listModel{EffectiveDateEnd: types.StringValue("2026-11-15T10:00:00")}, invoice, true},
		{"a day as the start begins at midnight", listModel{EffectiveDateStart: types.StringValue("2026-11-15")}, invoice, true},
		{"a day as the end lasts until midnight", listModel{EffectiveDateEnd: types.StringValue("2026-11-15")}, invoice, true},
		{"an invoice without a date is in no range", listModel{EffectiveDateEnd: types.StringValue("2026-11-14")}, bare, false},
		{
			"the emission date stands in for a missing effective date",
			listModel{EffectiveDateEnd: types.StringValue("2026-11-15")},
			&einvoice.Invoice{IssuedOn: "2026-11-15T23:59:59.5"}, true,
		},
	} {
		_, matches := test.config.filter()
		if got := matches(test.invoice); got != test.want {
			t.Errorf("%s: matches = %t, want %t", test.name, got, test.want)
		}
	}
}
