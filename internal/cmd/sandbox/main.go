// Command sandbox runs the invoicing service in memory, for trying the provider without an account and for the tests of
// configurations that use it. Releases have it as einvoice-sandbox.
//
//	einvoice-sandbox [-listen 127.0.0.1:8077] [-authorize-after 2s] [-rate-limit=false] [-seed 1] [-only-specified]
//	                [-script outcomes.json] [-switch no-production,lists-lag]
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
		fmt.Fprintf(diagnostics, "%s\n\n", text.Of("sandbox.usage", text.With{"name": name}))
		flags.PrintDefaults()
	}
	said := func(key string) string { return text.Of(key, nil).String() }
	flags.StringVar(&s.listen, "listen", defaultListen, said("sandbox.flag_listen"))
	flags.DurationVar(&s.options.AuthorizeAfter, "authorize-after", 2*time.Second, said("sandbox.flag_authorize_after"))
	flags.BoolVar(&s.options.RateLimit, "rate-limit", true, said("sandbox.flag_rate_limit"))
	flags.Int64Var(&s.options.Seed, "seed", 0, said("sandbox.flag_seed"))
	flags.BoolVar(&s.options.OnlySpecified, "only-specified", false, said("sandbox.flag_only_specified"))
	flags.Func("switch", text.Of("sandbox.flag_switch", text.With{"names": sandbox.Switches()}).String(), s.options.Switch)
	flags.StringVar(&s.script, "script", "", said("sandbox.flag_script"))
	flags.BoolVar(&s.log, "log", true, said("sandbox.flag_log"))
	flags.BoolVar(&s.version, "version", false, said("sandbox.flag_version"))
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
	service := sandbox.New(chosen.options)
	if err := chosen.play(service, scripted); err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", chosen.listen)
	if err != nil {
		return text.NewError("sandbox.port_taken", text.With{"cause": err, "free": freePort})
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

	// The provider remembers, per service and key, what it has issued. A service that begins anew with the key and the
	// address of an earlier one must not meet those memories.
	cache, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	baseURL := fmt.Sprintf("http://%s/v1", l.Addr())
	if len(chosen.command) > 0 {
		return runCommand(ctx, chosen, baseURL, service.OwnerKey(), cache, out, diagnostics)
	}
	fmt.Fprintf(
		out, "%s\n\nexport EINVOICE_BASE_URL=%s\nexport EINVOICE_API_KEY=%s\nexport EINVOICE_CACHE_DIR=%s\n\n%s\n",
		text.Of("sandbox.ready", nil), baseURL, service.OwnerKey(), cache, text.Of("sandbox.next", text.With{
			"company": service.OwnerCompanyID(), "page": fmt.Sprintf("http://%s/", l.Addr()),
		}),
	)
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
		return text.NewError("sandbox.listen_form", text.With{"cause": err})
	}
	if sandbox.OnLoopback(host) {
		return nil
	}
	return text.NewError("sandbox.not_loopback", text.With{"listen": listen})
}
