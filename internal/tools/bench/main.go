// Command bench measures what the provider costs: requests, waiting, and its own work on top of the CLI's.
//
//	make bench [QUICK=1] [ONLY=part,part] [WRITE=1]
//
// It runs from the root of a checkout, builds the provider once, and runs it with a real CLI against the service in
// memory, on loopback. Targets are counts and ratios within one run; times in seconds depend on the machine and are
// only shown. With -write it measures on Terraform and on OpenTofu, and puts a table and a plot of the results into
// the documentation. It fails when a target is missed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

const interrupted = 130

func main() {
	quick := flag.Bool("quick", false, "smaller and fewer measurements, for development")
	write := flag.Bool("write", false, "measure on Terraform and on OpenTofu, "+
		"and write the table and the plot of the documentation; not with -quick or -only")
	only := flag.String("only", "",
		"measure only these parts, separated by commas: "+strings.Join(sectionNames(), ", "))
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	found := cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), cli.WantAny) // cmd/clis sets it.
	b := &bench{wants: []string{found}, sizes: fullSizes, out: os.Stdout}
	if *write {
		b.wants = []string{cli.WantTerraform, cli.WantTofu}
	}
	if *quick {
		b.sizes = quickSizes
	}
	var err error
	if *write && *quick {
		err = errors.New("the documentation shows the full size: leave out -write or -quick")
	} else {
		err = run(ctx, b, *only, *write)
	}
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

func run(ctx context.Context, b *bench, only string, write bool) error {
	chosen, err := chooseSections(only)
	if err != nil {
		return err
	}
	made, err := b.run(ctx, chosen)
	if err != nil {
		return err
	}
	if write {
		if err := writeTable(tableFile, made); err != nil {
			return err
		}
		if c := newChart(made); len(c.Measured) > 0 {
			if err := c.draw(ctx, plotFile); err != nil {
				return err
			}
		}
	}
	return missed(made)
}
