package einvoice

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// A CLI works on many resources at once. The connections of one round are those
// of the next.
func TestClient_reusesConnectionsOfManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	const atOnce, rounds = 20, 3
	var opened atomic.Int64
	var arrived sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait() // Until all of the round are here.
		fmt.Fprintf(w, `{"id": %q}`, r.URL.Path[len("/v1/products/"):])
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client, err := New(Config{BaseURL: server.URL + "/v1", APIKey: testKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.http.CloseIdleConnections)
	for range rounds {
		arrived.Add(atOnce)
		var round sync.WaitGroup
		for i := range atOnce {
			round.Go(func() {
				if _, err := client.do(t.Context(), call{method: http.MethodGet, path: []string{"products", fmt.Sprintf("product-%d", i)}}); err != nil {
					t.Error(err)
				}
			})
		}
		round.Wait()
	}
	if n := opened.Load(); n != atOnce {
		t.Errorf("%d connections were opened for %d rounds of %d requests, want %d", n, rounds, atOnce, atOnce)
	}
}

func BenchmarkClient_readOfOneProduct(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id": "product-1", "name": "Pão francês", "code": "P-1", "price": 17.9, "creationTime": "2026-01-02T03:04:05Z"}`)
	}))
	b.Cleanup(server.Close)
	client, err := New(Config{BaseURL: server.URL + "/v1", APIKey: testKey})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Product(b.Context(), "product-1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClient_pageOfAHundredProducts(b *testing.B) {
	page := `{"totalCount": 100, "pageCount": 1, "hasNext": false, "items": [`
	for i := range 100 {
		if i > 0 {
			page += ","
		}
		page += fmt.Sprintf(`{"id": "product-%d", "name": "Pão francês", "code": "P-%d", "price": 17.9, "creationTime": "2026-01-02T03:04:05Z"}`, i, i)
	}
	page += "]}"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	b.Cleanup(server.Close)
	client, err := New(Config{BaseURL: server.URL + "/v1", APIKey: testKey})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range client.Products(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPacer_slot is what the shared account of the limit costs a request.
func BenchmarkPacer_slot(b *testing.B) {
	pace := newPacer(1_000_000, 0, journal.OpenFiles(b.TempDir()), "benchmark")
	b.ReportAllocs()
	for b.Loop() {
		permit, err := pace.acquire(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		permit.unused()
	}
}
