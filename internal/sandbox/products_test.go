package sandbox

import (
	"encoding/json"
	"testing"
)

func TestProduct_keepsItsPriceAsSent(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, body := range []string{
		`{"name":"A","code":"1","price":10.50,"invoiceModel":"PRODUCTINVOICE"}`,
		`{"name":"A","code":1,"price":"10.50","invoiceModel":"productInvoice"}`,
	} {
		doc := c.must("POST", "/products", body)
		want := object{"name": "A", "code": "1", "price": json.Number("10.50"), "invoiceModel": "productInvoice", "lastModificationTime": nil}
		wantFields(t, doc, want)
		wantSame(t, doc, c.must("GET", "/products/"+doc["id"].(string), nil), "the read, after what the creation answered,")
	}
}

func TestProduct_refusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.refuses("POST", "/products", []badBody{
		{"name and code are required", object{}, []string{"name: The Name field is required.", "code: The Code field is required."}},
		{"a price is a number", object{"name": "A", "code": "1", "price": "ten"}, []string{"price: Could not convert the value of 'price' to decimal."}},
		{"a model there is not", object{"name": "A", "code": "1", "invoiceModel": "nfe"}, []string{`invoiceModel: Error converting value "nfe" to type 'InvoiceModel'. Path 'invoiceModel'.`}},
	})
}
