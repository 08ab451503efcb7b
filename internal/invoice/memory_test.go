package invoice_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What is kept of each invoice of a long list is what the CLI is sent.
//
//nolint:paralleltest // It looks at the heap.
func TestInvoicesDataSource_keepsLittleOfEachInvoice(t *testing.T) {
	const invoices, perPage, most = 1000, 100, 4 << 10
	var before, kept atomic.Int64
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		switch page {
		case 1:
			before.Store(heap())
		case invoices / perPage:
			kept.Store((heap() - before.Load()) / invoices)
		}
		var items []string
		for i := range perPage {
			items = append(items, fmt.Sprintf(`{"id":"7c9e6679-7425-40de-944b-%012d","status":"authorized","amount":10.5,"more":%q,
				"receiver":{"name":"Ana","federalTaxNumber":"11222333000181","address":{"street":"Rua das Flores","number":"10","city":{"code":3550308,"state":"SP"}}}}`,
				page*perPage+i, strings.Repeat("what has no attribute ", 200)))
		}
		_, _ = fmt.Fprintf(w, `{"items":[%s],"totalCount":%d,"hasNext":%t}`, strings.Join(items, ","), invoices, page < invoices/perPage)
	}))
	defer service.Close()
	p := acctest.Serve(t, sandbox.Start(t, sandbox.Options{}), map[string]any{"base_url": service.URL + "/v1"})
	config := p.Config(p.Schemas.DataSourceSchemas["einvoice_invoices"], map[string]any{"model": "serviceInvoice", "limit": invoices})
	resp, err := p.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "einvoice_invoices", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	p.MustNotFail(resp.Diagnostics)
	t.Logf("%d bytes of each are kept, %d are sent", kept.Load(), len(resp.State.MsgPack)/invoices)
	if kept.Load() > most || len(resp.State.MsgPack) > invoices*most {
		t.Errorf("%d bytes of each invoice are kept and %d sent, want at most %d", kept.Load(), len(resp.State.MsgPack)/invoices, most)
	}
}
