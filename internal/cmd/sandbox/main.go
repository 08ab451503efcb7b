// Command sandbox runs the invoicing service in memory, for trying the provider without an account and for the tests of
// configurations that use it. Releases have it as einvoice-sandbox.
//
//	einvoice-sandbox [-listen 127.0.0.1:8077] [-authorize-after 2s] [-rate-limit=false] [-seed 1] [-only-specified]
//	                [-script outcomes.json]
//
// prints its base URL and the main company's key as the environment variables the provider reads, then a line for each
// request and each webhook delivery, until it is interrupted. What it holds is gone then.
//
//	einvoice-sandbox [flags] terraform test
//
// runs a command with these variables instead, and ends with it and its exit code. The service then takes a free port,
// decides at once and has no rate limit, unless a flag says otherwise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	name           = "einvoice-sandbox"
	defaultListen  = "127.0.0.1:8077"
	freePort       = "127.0.0.1:0"
	headerTimeout  = 10 * time.Second
	shutdownPeriod = 2 * time.Second
)

// version is set by the release build.
var version = "dev"

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if <-signals == os.Interrupt {
			cancel(errInterrupted)
		} else {
			cancel(nil)
		}
	}()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	default:
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	listen  string
	options sandbox.Options
	script  string
	// log is a line for each request.
	log     bool
	version bool
	command []string
}

func parse(args []string, diagnostics io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() {
		fmt.Fprintf(
			diagnostics,
			"Usage: %s [flags] [command ...]\n\nServes until it is interrupted, or for as long as the command runs.\n\n",
			name,
		)
		flags.PrintDefaults()
	}
	flags.StringVar(
		&s.listen,
		"listen",
		defaultListen,
		"the loopback address to listen on; port 0 takes a free port, the default with a command",
	)
	flags.DurationVar(
		&s.options.AuthorizeAfter,
		"authorize-after",
		2*time.Second,
		"how long the authority takes to decide on an invoice; 0s with a command",
	)
	flags.BoolVar(
		&s.options.RateLimit,
		"rate-limit",
		true,
		"allow 60 requests per minute and 5 per second per key; false with a command",
	)
	flags.Int64Var(&s.options.Seed, "seed", 0, "make keys and ids repeatable; 0 makes them random")
	flags.BoolVar(
		&s.options.OnlySpecified,
		"only-specified",
		false,
		"answer 404 for every operation that the service's specification neither shows nor names",
	)
	flags.StringVar(
		&s.script,
		"script",
		"",
		"a JSON file with the outcomes of invoices: a list of {integrationId, outcomes}, as POST /_sandbox/script takes them",
	)
	flags.BoolVar(&s.log, "log", true, "log each request and webhook delivery; false with a command")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.command = flags.Args(); len(s.command) > 0 {
		given := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if !given["listen"] {
			s.listen = freePort
		}
		if !given["authorize-after"] {
			s.options.AuthorizeAfter = 0
		}
		s.options.RateLimit = s.options.RateLimit && given["rate-limit"]
		s.log = s.log && given["log"]
	}
	return s, checkLoopback(s.listen)
}

// run serves until the context or the command ends. It writes what to export to out, and everything else to
// diagnostics.
func run(ctx context.Context, args []string, out, diagnostics io.Writer) error {
	chosen, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	if chosen.version {
		fmt.Fprintln(out, name, version)
		return nil
	}
	scripted, err := readScript(chosen.script)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", chosen.listen)
	if err != nil {
		return fmt.Errorf("%w; -listen %s takes a free port", err, freePort)
	}

	service := sandbox.New(chosen.options)
	for _, one := range scripted {
		service.ScriptInvoice(one.IntegrationID, one.Outcomes...)
	}
	server := &http.Server{Handler: service, ReadHeaderTimeout: headerTimeout}
	if chosen.log {
		log := &journal{out: diagnostics}
		service.OnDelivery(func(d sandbox.Delivery) { log.line(deliveryLine(d)) })
		server.Handler = logged(service, log)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer shutdown(ctx, server)
	// The service comes first: open pages follow it for as long as it runs.
	defer service.Close()

	baseURL := fmt.Sprintf("http://%s/v1", l.Addr())
	if len(chosen.command) > 0 {
		return runCommand(ctx, chosen, baseURL, service.OwnerKey(), out, diagnostics)
	}
	fmt.Fprintf(out, `The sandbox is ready. It keeps its data in memory.

export EINVOICE_BASE_URL=%s
export EINVOICE_API_KEY=%s

This is the key of the main company (%s). Open http://%s/ in a browser to see its data and requests.
Press Ctrl-C to stop. All data is then lost.
`, baseURL, service.OwnerKey(), service.OwnerCompanyID(), l.Addr())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}

// shutdown ends the server. A request that hangs, by its client's choice, is broken off.
func shutdown(ctx context.Context, server *http.Server) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPeriod)
	defer cancel()
	if server.Shutdown(ending) != nil {
		_ = server.Close()
	}
}

// checkLoopback refuses an address that others could reach: there is no real authentication behind it.
func checkLoopback(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("-listen takes host:port: %w", err)
	}
	if sandbox.OnLoopback(host) {
		return nil
	}
	return fmt.Errorf("-listen %s is not on loopback; use 127.0.0.1, [::1] or localhost", listen)
}
