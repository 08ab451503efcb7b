package sandbox

import (
	"maps"
	"testing"
	"time"
)

func TestInvoice_returnsReferToTheirOriginInEachItem(t *testing.T) {
	t.Parallel()
	source := object{"accessKey": "33150308370779000149550010001100931002410775", "itemNumber": 2}
	whole, bare := object{"totalAmount": 10, "cfop": 1202, "sourceDocument": source}, object{"totalAmount": 10, "cfop": 1202}
	const item = ".sourceDocument: An item of a return needs the access key (`accessKey`) and the item number (`itemNumber`, 1 to 990) " +
		"of the document that its goods came with."
	for name, test := range map[string]struct {
		fields object
		items  []any
		want   []string
	}{
		"an origin in each item passes": {items: []any{whole, whole}},
		"another purpose passes":        {fields: object{"purposeType": "normal"}, items: []any{bare}},
		"items without are refused":     {items: []any{bare, whole, bare}, want: []string{"items[0]" + item, "items[2]" + item}},
		"references of the note are refused": {fields: object{"referencedDocuments": []any{source}}, items: []any{whole}, want: []string{
			"referencedDocuments: Take it out: a return does not refer to documents as a whole. Each item refers to the document that its goods came with.",
		}},
		"the day before they pass": {fields: object{"effectiveDate": "2026-08-31T23:59:59-03:00"}, items: []any{bare}},
		"on the day they do not":   {fields: object{"effectiveDate": "2026-09-01"}, items: []any{bare}, want: []string{"items[0]" + item}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{Clock: NewManualClock(time.Date(2026, time.September, 20, 12, 0, 0, 0, time.UTC))})
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
