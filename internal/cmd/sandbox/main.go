// Command sandbox runs the invoicing service in memory, for trying the provider without an account.
//
//	go run ./internal/cmd/sandbox [-listen 127.0.0.1:8077] [-authorize-after 2s] [-rate-limit=false] [-seed 1]
//
// It prints its base URL and the main company's key as the environment variables the provider reads, then a line for
// each request and each webhook delivery, until it is interrupted. What it holds is gone then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	defaultListen  = "127.0.0.1:8077"
	headerTimeout  = 10 * time.Second
	shutdownPeriod = 2 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

// run serves until the context ends. It writes what to export to out, and everything else to diagnostics.
func run(ctx context.Context, args []string, out, diagnostics io.Writer) error {
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	listen := flags.String("listen", defaultListen, "the loopback address to listen on; port 0 takes a free one")
	authorizeAfter := flags.Duration("authorize-after", 2*time.Second, "how long the authority takes with an invoice")
	rateLimit := flags.Bool("rate-limit", true, "allow 60 requests per minute and 5 per second per key")
	seed := flags.Int64("seed", 0, "make keys and ids repeatable; 0 draws them at random")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if err := checkLoopback(*listen); err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", *listen)
	if err != nil {
		return fmt.Errorf("%w; -listen 127.0.0.1:0 takes a free port", err)
	}

	service := sandbox.New(sandbox.Options{AuthorizeAfter: *authorizeAfter, RateLimit: *rateLimit, Seed: *seed})
	defer service.Close()
	log := &journal{out: diagnostics}
	service.OnDelivery(func(d sandbox.Delivery) { log.line(deliveryLine(d)) })
	server := &http.Server{Handler: logged(service, log), ReadHeaderTimeout: headerTimeout}

	fmt.Fprintf(out, `The invoicing service in memory is ready.

export EINVOICE_BASE_URL=http://%s/v1
export EINVOICE_API_KEY=%s

The key is the main company's (%s). Interrupt to stop; nothing is kept.
`, l.Addr(), service.OwnerKey(), service.OwnerCompanyID())

	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// A request that hangs, by its client's choice, is broken off.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPeriod)
	defer cancel()
	if server.Shutdown(ending) != nil {
		_ = server.Close()
	}
	return nil
}

// checkLoopback refuses an address that others could reach: there is no real authentication behind it.
func checkLoopback(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("-listen takes host:port: %w", err)
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() || host == "localhost" {
		return nil
	}
	return fmt.Errorf("-listen %s is not on loopback; use 127.0.0.1, [::1] or localhost", listen)
}

// journal writes lines with the time of day, from many requests at once.
type journal struct {
	mu  sync.Mutex
	out io.Writer
}

func (j *journal) line(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintln(j.out, time.Now().Format(time.TimeOnly), text)
}

// statusWriter remembers what was answered.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) String() string {
	if w.status == 0 {
		return "no answer"
	}
	return strconv.Itoa(w.status)
}

// Unwrap lets the service reach the connection, for flushing.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logged writes a line for each request. Its query is left out, because it may hold somebody's tax number.
func logged(next http.Handler, log *journal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		recorded := &statusWriter{ResponseWriter: w}
		defer func() {
			log.line(fmt.Sprintf("%s %s %s %s", r.Method, r.URL.EscapedPath(), recorded, time.Since(begun).Round(10*time.Microsecond)))
		}()
		next.ServeHTTP(recorded, r)
	})
}

// deliveryLine tells how the last try of a webhook delivery went. The query of its address may hold a secret.
func deliveryLine(d sandbox.Delivery) string {
	address := "an address that is no URL"
	if u, err := url.Parse(d.URL); err == nil {
		address = u.Scheme + "://" + u.Host + u.EscapedPath()
	}
	if d.State == sandbox.DeliverySkipped {
		return fmt.Sprintf("webhook %s not sent to %s, which is not on loopback", d.Event, address)
	}
	how := "no answer"
	if last := d.Attempts[len(d.Attempts)-1]; last.Status != 0 {
		how = fmt.Sprintf("%d", last.Status)
	}
	return strings.Join([]string{"webhook", d.Event, "sent to", address + ":", how + ",", d.State}, " ")
}
