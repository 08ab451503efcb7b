package sandbox

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// TB is the part of *testing.T that Start needs; this package must be usable without the testing package.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipped() bool
}

// Server is one account at the service. It is an http.Handler; Listen or Start give it an address of its own.
type Server struct {
	opts  Options
	clock Clock
	mux   *http.ServeMux
	// routes are the endpoints of mux; they do not change after New.
	routes []Route

	// mu makes every handler, timer and test access one step. What it guards: all fields down to the blank line.
	mu         sync.Mutex
	shelves    map[string]*shelf
	shapes     map[string]func(object)
	random     io.Reader
	soon       []func()
	born       int
	traces     int
	windows    map[string]*rateWindow
	unknown    []UnknownField
	ownerID    string
	settings   map[string]settingsDocument
	expected   map[string]heldCertificate
	signing    signing
	deliveries []*Delivery
	onDelivery []func(Delivery)
	events     int
	book       invoiceBook
	// busy counts the background work under way. WaitGroup.Wait would race with the Add of what comes meanwhile.
	busy int
	idle *sync.Cond

	// watch guards what must stay reachable while a handler runs: the request log, faults and hooks.
	watch     sync.Mutex
	log       []*Request
	recorded  int // bytes of the bodies in log
	stripped  int // how many of the oldest requests have lost their bodies
	faults    []*pendingFault
	hooks     []*hook
	onRequest []func(Request)

	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	// steps counts the changes that may affect the page.
	steps atomic.Int64

	http    *http.Server
	address string
}

// New returns an account with its main company and nothing else.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{
		opts:     opts,
		clock:    opts.Clock,
		mux:      http.NewServeMux(),
		shelves:  map[string]*shelf{},
		shapes:   map[string]func(object){},
		random:   crand.Reader,
		windows:  map[string]*rateWindow{},
		book:     newInvoiceBook(),
		settings: map[string]settingsDocument{},
		expected: map[string]heldCertificate{},
	}
	if opts.Seed != 0 {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], uint64(opts.Seed))
		s.random = rand.NewChaCha8(seed)
	}
	s.idle = sync.NewCond(&s.mu)
	s.ctx, s.stop = context.WithCancel(context.Background())
	for _, kind := range kinds {
		s.shelves[kind] = newShelf()
	}

	s.routesCertificates()
	s.routesCompanies()
	s.routesCustomers()
	s.routesProducts()
	s.routesSettings()
	s.routesWebhooks()
	s.routesInvoices()
	s.routesOrders()
	s.routesDisablements()
	s.routesInbound()
	s.routesCities()
	s.routesControls()

	s.locked(func() { s.foundAccount() })
	return s
}

// Start runs a server on loopback until the test ends, and fails the test if a declared fault or hook was not used.
func Start(tb TB, opts Options) *Server {
	tb.Helper()
	s := New(opts)
	if err := s.Listen("127.0.0.1:0"); err != nil {
		tb.Fatalf("start the sandbox: %v", err)
	}
	tb.Cleanup(func() {
		s.Close()
		s.reportLeftovers(tb)
	})
	return s
}

// Listen serves in the background on address, host:port, until Close.
func (s *Server) Listen(address string) error {
	l, err := new(net.ListenConfig).Listen(s.ctx, "tcp", address)
	if err != nil {
		return err
	}
	s.address = l.Addr().String()
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	// If the listener breaks, failing requests say so better than a log line.
	s.running.Go(func() { _ = s.http.Serve(l) })
	return nil
}

// Close stops timers, deliveries and the listener, and breaks the connections that are open. It may be called twice.
func (s *Server) Close() {
	s.mu.Lock() // No timer runs under the lock, and a later one sees that the server is closed.
	s.stop()
	s.mu.Unlock()
	if s.http != nil {
		_ = s.http.Close()
	}
	s.running.Wait()
}

// BaseURL is the address of the service with its version prefix; empty before Listen.
func (s *Server) BaseURL() string {
	if s.address == "" {
		return ""
	}
	return "http://" + s.address + "/v1"
}

// Settle waits for the background work that has begun, such as webhook deliveries, but not for timers.
func (s *Server) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.busy > 0 {
		s.idle.Wait()
	}
}

// locked runs f as one step, and then the functions that f has postponed to its end.
func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.steps.Add(1)
	f()
	for len(s.soon) > 0 {
		next := s.soon[0]
		s.soon = s.soon[1:]
		next()
	}
}

// locked returns the result of f, which runs as one step.
func locked[T any](s *Server, f func() T) (out T) {
	s.locked(func() { out = f() })
	return out
}

// after runs f under the lock once d has passed. With no delay f runs in the same step, after the answer of the
// running handler is fixed: a POST still answers "enqueued" and the next request already sees the outcome.
// The caller holds the lock.
func (s *Server) after(d time.Duration, f func()) {
	if d <= 0 {
		s.soon = append(s.soon, f)
		return
	}
	s.clock.AfterFunc(d, func() {
		s.locked(func() {
			if s.ctx.Err() == nil {
				f()
			}
		})
	})
}

// background runs f outside the lock, for requests to others. Its context ends with Close; Settle waits for it. The
// caller holds the lock.
func (s *Server) background(f func(ctx context.Context)) {
	if s.ctx.Err() != nil {
		return
	}
	s.busy++
	s.running.Go(func() {
		f(s.ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
		s.idle.Broadcast()
	})
}

// newID returns a fresh resource identifier. The caller holds the lock.
func (s *Server) newID() string {
	id, err := uuid.NewRandomFromReader(s.random)
	if err != nil {
		panic("sandbox: no randomness: " + err.Error())
	}
	return id.String()
}

// randomBytes returns n bytes for keys, secrets and codes. The caller holds the lock.
func (s *Server) randomBytes(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.random, b); err != nil {
		panic("sandbox: no randomness: " + err.Error())
	}
	return b
}

func (s *Server) newKey() string {
	return hex.EncodeToString(s.randomBytes(20))
}
