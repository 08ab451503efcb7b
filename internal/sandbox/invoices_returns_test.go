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
	nested := map[string]any{"totalAmount": 10, "cfop": 1202, "origin": map[string]any{"accessKey": key, "itemNumber": 2}}
	flat := map[string]any{"totalAmount": 10, "cfop": 1202, "originAccessKey": key, "originItemNumber": 2}
	bare := map[string]any{"totalAmount": 10, "cfop": 1202}
	const itemText = "A return requires the access key and the item number of the origin document in each item."
	const noteText = "referencedDocuments: Referenced documents of the whole invoice are not accepted for returns; reference them in each item."
	for _, test := range []struct {
		name        string
		environment string
		fields      map[string]any
		items       []any
		want        []string
	}{
		{"nested origins pass", "production", nil, []any{nested}, nil},
		{"a list of origins passes", "production", nil, []any{map[string]any{"origins": []any{nested["origin"]}}}, nil},
		{"flat origins pass", "production", nil, []any{flat}, nil},
		{"another purpose passes", "production", map[string]any{"purposeType": "normal"}, []any{bare}, nil},
		{"an item without an origin is refused", "production", nil, []any{nested, bare}, []string{"items[1]: " + itemText}},
		{"a key without a number is refused", "production", nil, []any{map[string]any{"cfop": 1202, "originAccessKey": key}}, []string{"items[0]: " + itemText}},
		{"a number that is no item's is refused", "production", nil, []any{map[string]any{"origin": map[string]any{"accessKey": key, "itemNumber": 0}}}, []string{"items[0]: " + itemText}},
		{
			"references of the note are refused", "production",
			map[string]any{"referencedDocuments": []any{map[string]any{"accessKey": key}}},
			[]any{nested},
			[]string{noteText},
		},
		{"an empty list of references passes", "production", map[string]any{"referencedDocuments": []any{}}, []any{nested}, nil},
		{"in production they pass before the day", "production", map[string]any{"issuedOn": "2026-08-31T23:59:59-03:00"}, []any{bare}, nil},
		{"in production the day counts", "production", map[string]any{"issuedOn": "2026-09-01"}, []any{bare}, []string{"items[0]: " + itemText}},
		{"in homologation they pass before the day", "development", map[string]any{"issuedOn": "2026-06-30"}, []any{bare}, nil},
		{"in homologation the day is earlier", "development", map[string]any{"issuedOn": "2026-07-01"}, []any{bare}, []string{"items[0]: " + itemText}},
		{"the effective date counts first", "production", map[string]any{"issuedOn": late, "effectiveDate": "2026-08-01"}, []any{bare}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{Clock: NewManualClock(time.Date(2026, time.October, 1, 12, 0, 0, 0, time.UTC))})
			c.s.SetSettings(c.s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"environmentType": test.environment}})
			fields := map[string]any{"purposeType": "devolution", "items": test.items}
			maps.Copy(fields, test.fields)
			if test.want == nil {
				c.issued("/product-invoices", fields)
				return
			}
			c.refused("POST", "/product-invoices", body("/product-invoices", fields), test.want...)
		})
	}
}
