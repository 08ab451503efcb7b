package sandbox

import (
	"maps"
	"testing"
	"time"
)

func TestInvoice_returnsReferToTheirOriginInEachItem(t *testing.T) {
	t.Parallel()
	const key = "33150308370779000149550010001100931002410775"
	const late = "2026-10-01T10:00:00-03:00"
	nested := object{"totalAmount": 10, "cfop": 1202, "origin": object{"accessKey": key, "itemNumber": 2}}
	flat := object{"totalAmount": 10, "cfop": 1202, "originAccessKey": key, "originItemNumber": 2}
	bare := object{"totalAmount": 10, "cfop": 1202}
	const itemText = "A return requires the access key and the item number of the origin document in each item."
	const noteText = "referencedDocuments: Referenced documents of the whole invoice are not accepted for returns; reference them in each item."
	for _, test := range []struct {
		name        string
		environment string
		fields      object
		items       []any
		want        []string
	}{
		{"nested origins pass", "production", nil, []any{nested}, nil},
		{"a list of origins passes", "production", nil, []any{object{"origins": []any{nested["origin"]}}}, nil},
		{"flat origins pass", "production", nil, []any{flat}, nil},
		{"another purpose passes", "production", object{"purposeType": "normal"}, []any{bare}, nil},
		{"an item without an origin is refused", "production", nil, []any{nested, bare}, []string{"items[1]: " + itemText}},
		{"a key without a number is refused", "production", nil, []any{object{"cfop": 1202, "originAccessKey": key}}, []string{"items[0]: " + itemText}},
		{"a number that is no item's is refused", "production", nil, []any{object{"origin": object{"accessKey": key, "itemNumber": 0}}}, []string{"items[0]: " + itemText}},
		{
			"references of the note are refused", "production",
			object{"referencedDocuments": []any{object{"accessKey": key}}},
			[]any{nested},
			[]string{noteText},
		},
		{"an empty list of references passes", "production", object{"referencedDocuments": []any{}}, []any{nested}, nil},
		{"in production they pass before the day", "production", object{"issuedOn": "2026-08-31T23:59:59-03:00"}, []any{bare}, nil},
		{"in production the day counts", "production", object{"issuedOn": "2026-09-01"}, []any{bare}, []string{"items[0]: " + itemText}},
		{"in homologation they pass before the day", "development", object{"issuedOn": "2026-06-30"}, []any{bare}, nil},
		{"in homologation the day is earlier", "development", object{"issuedOn": "2026-07-01"}, []any{bare}, []string{"items[0]: " + itemText}},
		{"the effective date counts first", "production", object{"issuedOn": late, "effectiveDate": "2026-08-01"}, []any{bare}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{Clock: NewManualClock(time.Date(2026, time.October, 1, 12, 0, 0, 0, time.UTC))})
			c.s.SetSettings(c.s.OwnerCompanyID(), object{"productInvoice": object{"environmentType": test.environment}})
			fields := object{"purposeType": "devolution", "items": test.items}
			maps.Copy(fields, test.fields)
			if test.want == nil {
				c.issued("/product-invoices", fields)
				return
			}
			c.refused("POST", "/product-invoices", body("/product-invoices", fields), test.want...)
		})
	}
}
