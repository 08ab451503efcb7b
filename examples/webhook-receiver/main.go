// Prints each delivery of a webhook. To try it, start einvoice-sandbox, and paste the
// lines that it prints into the terminal of this program:
//
//	go run ./examples/webhook-receiver -subscribe invoice.status_changed
//
// Outside of the provider's repository, in a copy of this directory:
//
//	go run main.go receiver.go -subscribe invoice.status_changed
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "the `address` to listen on")
	subscribe := flag.String("subscribe", "", "an `event` to subscribe to at the service, to try this with the sandbox")
	flag.Parse()
	ctx := context.Background()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *listen)
	if err == nil {
		err = serve(ctx, listener, *subscribe, os.Stdout)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve takes deliveries until the listener is closed.
func serve(ctx context.Context, listener net.Listener, event string, out io.Writer) error {
	// In production, take the secret from a secret store: WEBHOOK_SECRET.
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		var held struct {
			Secret string `json:"secret"`
		}
		if err := call(ctx, "GET", "/webhooks/secret", nil, &held); err != nil {
			return err
		}
		secret = held.Secret
	}
	url := "http://" + listener.Addr().String() + "/"
	if event != "" {
		if err := call(ctx, "POST", "/webhooks", map[string]any{"event": event, "url": url, "enabled": true}, nil); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(out, "Deliveries to", url)

	var mu sync.Mutex
	seen := map[string]bool{} // In production, a table with the id as its key.
	keep := func(id, event string, data json.RawMessage) error {
		mu.Lock()
		defer mu.Unlock()
		if seen[id] {
			return nil
		}
		seen[id] = true
		var invoice struct {
			IntegrationID string `json:"integrationId"`
			Status        string `json:"status"`
		}
		_ = json.Unmarshal(data, &invoice)
		_, err := fmt.Fprintln(out, id, event, invoice.IntegrationID, invoice.Status)
		return err
	}
	server := &http.Server{Handler: Handler(func() string { return secret }, keep), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// call sends a request to the service whose URL and key are in the environment.
func call(ctx context.Context, method, path string, body, into any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, os.Getenv("EINVOICE_BASE_URL")+path, bytes.NewReader(content)) //nolint:gosec // Your own service.
	if err != nil {
		return err
	}
	request.Header.Set("X-Api-Key", os.Getenv("EINVOICE_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request) //nolint:gosec // As above.
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
