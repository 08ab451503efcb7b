package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"
)

// receiver is the other end of the webhooks, on loopback.
type receiver struct {
	url    string
	server *http.Server

	mu     sync.Mutex
	events map[string]int
}

func listenForWebhooks(ctx context.Context) (*receiver, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + l.Addr().String() + "/einvoice", events: map[string]int{}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = r.server.Serve(l) }()
	return r, nil
}

// ServeHTTP counts the deliveries that carry a signature.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var delivery struct{ Event string }
	if err := json.NewDecoder(req.Body).Decode(&delivery); err != nil || req.Header.Get("Webhook-Signature") == "" {
		http.Error(w, "not a signed delivery", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.events[delivery.Event]++
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) received(event string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[event]
}

func (r *receiver) close() { _ = r.server.Close() }
