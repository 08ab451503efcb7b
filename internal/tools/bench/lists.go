package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	mostOfList = 1200 // MiB: the framework takes 0.2 MiB for each invoice
	longest    = 5000 // what a data source reads where it has no limit
	listedPage = 100

	listedFormat = `data "einvoice_invoices" "all" {
  model = "serviceInvoice"
  limit = %d
}
`
	// listedInvoice has what most NFS-e have, and some of what has no attribute.
	listedInvoice = `{"id":"7c9e6679-7425-40de-944b-%012[1]d","integrationId":"2026-11-%[1]d",` +
		`"model":"serviceInvoice","status":"authorized","environmentType":"production",` +
		`"number":%[1]d,"series":"1","amount":1234.56,` +
		`"issuedOn":"2026-11-10T10:00:00-03:00","effectiveDate":"2026-11-10T10:00:00-03:00",` +
		`"accessKey":"35261111222333000181550010000000011%015[1]d","isFromApi":true,` +
		`"rps":{"number":%[1]d,"series":"1"},` +
		`"authorization":{"date":"2026-11-10T10:00:02-03:00","protocol":"135260000000001"},` +
		`"processingDetail":{"status":"success","code":"100","message":"Autorizado o uso"},` +
		`"company":{"name":"Padaria Central","federalTaxNumber":"11222333000181"},` +
		`"receiver":{"name":"Ana Souza","federalTaxNumber":"52998224725","email":"ana@example.com",` +
		`"address":{"street":"Rua das Flores","number":"10","district":"Centro","postalCode":"01310100",` +
		`"city":{"code":3550308,"name":"São Paulo","state":"SP"},"country":"BRA"}},` +
		`"description":%[2]q}`
)

// longList measures the memory of a data source that reads as many invoices as it may. The account is made page
// by page: it is the provider's memory that counts.
func (b *bench) longList(ctx context.Context) ([]result, error) {
	account := min(b.sizes.account, longest)
	description := strings.Repeat("Consultoria em engenharia de plataforma. ", 25)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page")) // Missing: no page.
		items := make([]string, 0, listedPage)
		for i := (page - 1) * listedPage; i < min(page*listedPage, account); i++ {
			items = append(items, fmt.Sprintf(listedInvoice, i+1, description))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"items":[%s],"totalCount":%d,"hasNext":%t}`,
			strings.Join(items, ","), account, page*listedPage < account)
	}))
	defer service.Close()
	var results []result
	_, err := b.unlimited(sandbox.Options{}, fmt.Sprintf(listedFormat, account), func(w *workspace) ([]result, error) {
		memory := &watch{}
		w.watch, w.environ = memory, append(w.environ, "EINVOICE_BASE_URL="+service.URL+"/v1")
		took, err := w.run(ctx, plan)
		if memory.peakKiB > 0 {
			results = append(results, result{
				what: "Peak memory of the provider, einvoice_invoices with " + grouped(account) + " invoices",
				unit: "MiB", target: mostOfList, measured: float64(memory.peakKiB) / 1024,
				note: "plan in " + seconds(took),
			})
		}
		return nil, err
	})
	return results, err
}
