package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// door is an address of a sandbox that can be closed, so that connections to it
// are refused, and opened again.
type door struct {
	address string
	server  *http.Server

	mu       sync.Mutex
	listener net.Listener
	serving  sync.WaitGroup
	letIn    int // requests to serve before it closes; negative never closes it
}

// doors counts them, so that none is given the port of another one that is closed
// for the moment. The first port is drawn, for several runs at a time.
var (
	doors     atomic.Int64
	firstDoor = rand.IntN(10000)
)

// openDoor makes a door to s. Its port lies below those that systems give to
// outgoing connections: one of them could take it while the door is closed.
func openDoor(t *testing.T, s *sandbox.Server) *door {
	t.Helper()
	d := &door{server: &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}, letIn: -1}
	// A connection that is kept open would get around a closed door.
	d.server.SetKeepAlivesEnabled(false)
	var err error
	for range 100 {
		d.address = fmt.Sprintf("127.0.0.1:%d", 20000+(firstDoor+int(doors.Add(1)))%10000)
		if err = d.open(t.Context()); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("no port for a door: %v", err)
	}
	s.OnRequest(func(sandbox.Request) { d.arrived() })
	t.Cleanup(func() {
		_ = d.server.Close()
		d.serving.Wait()
	})
	return d
}

func (d *door) open(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.letIn = -1
	if d.listener != nil {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", d.address)
	if err != nil {
		return fmt.Errorf("open a door: %w", err)
	}
	d.listener = listener
	d.serving.Go(func() { _ = d.server.Serve(listener) }) // Ends with the listener.
	return nil
}

// closeAfter lets n requests in, and closes before the next connection.
func (d *door) closeAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.letIn = n
	d.closeWhenDue()
}

func (d *door) arrived() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.letIn > 0 {
		d.letIn--
		d.closeWhenDue()
	}
}

func (d *door) closeWhenDue() {
	if d.letIn == 0 && d.listener != nil {
		_ = d.listener.Close()
		d.listener = nil
	}
}

// stranger is a host that a redirect leads to, and that must not be asked.
type stranger struct {
	url   string
	asked atomic.Int64
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	s := &stranger{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.asked.Add(1)
		_, _ = w.Write([]byte(`{"id": "00000000-0000-4000-8000-000000000000", "success": true}`))
	}))
	t.Cleanup(server.Close)
	s.url = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	return s
}
