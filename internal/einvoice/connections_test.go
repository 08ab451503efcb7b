package einvoice

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// A CLI works on many resources at once. The connections of one round are those of the next.
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
	client := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey})
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
