// Command demo shows the provider at work, without an account: it sets up a company, issues invoices, lets one be
// rejected, and cleans up, with a real CLI against the service in memory.
//
//	go run ./internal/cmd/demo [-keep]
//
// It runs from the root of a checkout and needs nothing but Go: where PATH has neither terraform nor tofu, OpenTofu is
// built once from its Go module. Nothing leaves the machine but the module downloads that building may need. With -keep
// the service goes on after the first apply, for playing on. It fails when anything it shows is not as promised.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// interrupted is the exit code of a program that SIGINT ended.
const interrupted = 130

func main() {
	keep := flag.Bool("keep", false, text.Of("demo.keep", nil).String())
	flag.Parse()

	// Signals stay taken until the end: a second Ctrl-C must not leave the CLI, which is just ending, behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	d := demo{
		want:           cli.WantAny,
		quickstart:     "examples/quickstart",
		authorizeAfter: 2 * time.Second,
		keep:           *keep,
		out:            os.Stdout,
		build:          cli.BuiltProvider,
	}
	err := d.run(ctx)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		fmt.Printf("\n%s\n", text.Of("demo.stopped", nil))
		if !d.kept {
			os.Exit(interrupted)
		}
	default:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}
