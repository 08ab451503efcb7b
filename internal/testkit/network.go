package testkit

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
)

// Network is one within this process. What is served there takes no port; made in a bubble of testing/synctest, it runs
// on the clock of that bubble, which moves only while everybody waits.
type Network struct {
	// CacheDir is the cache directory of whoever uses the network, "" for that of the
	// process. A bubble needs its own: it does not wait for a lock that is held outside.
	CacheDir string

	mu     sync.Mutex
	hosts  map[string]*Host
	strays int
}

// NewNetwork has a cache directory of its own.
func NewNetwork(t testing.TB) *Network { return &Network{CacheDir: t.TempDir()} }

// hosts counts them.
var hosts atomic.Int64

// Host is a service on a Network.
type Host struct {
	Address string

	server *http.Server
	conns  chan net.Conn
	done   chan struct{}

	mu    sync.Mutex
	letIn int // connections until it refuses them; negative never does
}

// Serve serves a handler until the test ends.
func (n *Network) Serve(t testing.TB, handler http.Handler) *Host {
	t.Helper()
	number := hosts.Add(1)
	h := &Host{
		// No two of a process are alike, nor like one that has a port.
		Address: fmt.Sprintf("127.%d.%d.%d:80", 1+number>>16, number>>8&255, number&255),
		server:  &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute},
		conns:   make(chan net.Conn), done: make(chan struct{}), letIn: -1,
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hosts == nil {
		n.hosts = map[string]*Host{}
	}
	n.hosts[h.Address] = h
	var serving sync.WaitGroup
	serving.Go(func() { _ = h.server.Serve(listener{h}) }) // Ends with Close.
	t.Cleanup(func() {
		_ = h.server.Close()
		serving.Wait()
	})
	return h
}

// Dial connects to a host, as net.Dialer does.
func (n *Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	h := n.hosts[address]
	if h == nil {
		n.strays++
	}
	n.mu.Unlock()
	if h != nil && h.enter() {
		inner, outer := net.Pipe()
		select {
		case h.conns <- inner:
			return outer, nil
		case <-h.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// Attach is NewAttached with a provider whose requests go over the network.
func (n *Network) Attach(t *testing.T) *Workspace {
	t.Helper()
	w := NewAttached(t, "")
	w.dial = n.Dial
	w.Environ = append(w.Environ, message.EnvCacheDir+"="+n.CacheDir)
	return w
}

// Protocol is a provider whose requests go over the network, and that is not configured yet.
func (n *Network) Protocol(t testing.TB) *Protocol {
	t.Helper()
	return newProtocol(t, provider.NewServer(n.Dial, n.CacheDir))
}

// Strays is how many connections led to an address where nobody serves.
func (n *Network) Strays() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.strays
}

// RefuseAfter serves some more requests, and then refuses connections; a negative number lets all in again.
func (h *Host) RefuseAfter(requests int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.letIn = requests
	h.server.SetKeepAlivesEnabled(requests < 0) // So that each request has its connection.
}

func (h *Host) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.letIn > 0 {
		h.letIn--
		return true
	}
	return h.letIn < 0
}

// listener is that of a host.
type listener struct{ *Host }

func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error {
	close(l.done)
	return nil
}

func (l listener) Addr() net.Addr { return &net.TCPAddr{} }
