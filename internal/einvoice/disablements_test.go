package einvoice

import (
	"testing"
)

func TestDisablements(t *testing.T) {
	t.Parallel()
	const first = "/v1/product-invoices/disablements?endDate=e&page=1&pageSize=100&startDate=s&status=registered"
	s := newService(t,
		exchange{method: "GET", path: first, answer: `{"hasNext":true,"items":[{"id":"1","identifier":"ID","date":"d","initialNumber":"10","finalNumber":12.0,"series":1,"reason":"r",` +
			`"protocolNumber":135,"status":"registered","environment":0,"messageCode":102,"messageText":"ok"}]}`},
		exchange{method: "GET", path: "/v1/product-invoices/disablements?endDate=e&page=2&pageSize=100&startDate=s&status=registered", answer: `{"hasNext":false,"items":[{"id":"2"}]}`},
	)
	got, err := all(s.client().Disablements(t.Context(), ModelProduct, DisablementFilter{StartDate: "s", EndDate: "e", Status: "registered"}))
	wantKind(t, err, "")
	for _, v := range got {
		v.Raw = nil
	}
	want := []*Disablement{
		{
			ID: "1", Identifier: "ID", Date: "d", InitialNumber: ptr(Int(10)), FinalNumber: ptr(Int(12)), Series: "1", Reason: "r", ProtocolNumber: "135",
			Status: "registered", MessageCode: "102", MessageText: "ok",
		},
		{ID: "2"},
	}
	wantSame(t, want, got)
}
