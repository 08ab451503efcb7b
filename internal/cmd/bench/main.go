// Command bench measures what the provider costs: requests, waiting, and its own work on top of the CLI's.
//
//	go run ./internal/cmd/bench [-quick] [-write]
//
// It runs from the root of a checkout, builds the provider once, and runs it with a real CLI against the service in
// memory, on loopback. What it asks for are ratios within one run and counts; times in seconds depend on the machine
// and are only shown. With -write the tables and the plot go into the guide. It fails when a target is missed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

const interrupted = 130

func main() {
	quick := flag.Bool("quick", false, "smaller and fewer measurements, for development")
	write := flag.Bool("write", false, "write the tables and the plot into the guide; not with -quick")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := &bench{want: cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), cli.WantAny), sizes: fullSizes, out: os.Stdout} // As found by cmd/clis.
	if *quick {
		b.sizes = quickSizes
	}
	err := run(ctx, b, *write, *quick)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		os.Exit(interrupted)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, b *bench, write, quick bool) error {
	if write && quick {
		return errors.New("the guide shows everything in full size: leave out -quick or -write")
	}
	made, err := b.run(ctx)
	if err != nil {
		return err
	}
	if write {
		if err := errors.Join(writeGuide(guideFile, made), newChart(made).draw(ctx, plotFile)); err != nil {
			return err
		}
	}
	return missed(made)
}
