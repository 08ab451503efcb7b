package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

// sizes are how much is measured.
type sizes struct {
	refreshed int          // most customers of a refresh
	account   int          // customers of the largest account
	overhead  []comparison // with terraform_data
	starts    int          // of the provider
	limited   bool         // whether the scheduling passes the minute
	invoices  int
}

var (
	fullSizes = sizes{
		refreshed: 1000, account: 50_000, overhead: []comparison{{1000, 3, 5}, {5000, 1, 3}}, starts: 15, limited: true, invoices: 20,
	}
	quickSizes = sizes{refreshed: 100, account: 2000, overhead: []comparison{{200, 1, 3}}, starts: 5, invoices: 5}
)

// bench is one run of the measurements.
type bench struct {
	want  string // see cli.Find
	sizes sizes
	out   io.Writer

	dir      string // of everything that is written while measuring
	cli      *cli.CLI
	provider string // the executable
	environ  []string
	spaces   int // workspaces made
}

// section is a group of measurements that share a table.
type section struct {
	title   string
	measure func(*bench, context.Context) ([]result, error)
}

var sections = []section{
	{"Requests of a plan", (*bench).refresh},
	{"Requests of a change", (*bench).writes},
	{"Requests of an invoice", (*bench).issuing},
	{"Waiting for the limit", (*bench).scheduling},
	{"The provider's own work, without limits", (*bench).overhead},
}

// report is what was measured, and on what.
type report struct {
	machine string
	tables  []table
}

// results are those of all tables.
func (r report) results() []result {
	var all []result
	for _, t := range r.tables {
		all = append(all, t.results...)
	}
	return all
}

// table is what one section measured.
type table struct {
	title   string
	results []result
}

func (b *bench) run(ctx context.Context) (_ report, err error) {
	if b.dir, err = os.MkdirTemp("", "einvoice-bench-"); err != nil {
		return report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.prepare(ctx); err != nil {
		return report{}, err
	}
	made := report{machine: fmt.Sprintf("%s %s, %s, %d CPUs", b.cli.Product, b.cli.Version, runtime.Version(), runtime.NumCPU())}
	for _, s := range sections {
		began := time.Now()
		results, err := s.measure(b, ctx)
		if err != nil {
			return report{}, fmt.Errorf("%s: %w", s.title, err)
		}
		t := table{title: s.title, results: results}
		made.tables = append(made.tables, t)
		fmt.Fprintf(b.out, "\n%s (measured in %s)\n\n%s", s.title, time.Since(began).Round(time.Second), t.markdown())
	}
	return made, nil
}

// prepare finds the CLI and builds the provider.
func (b *bench) prepare(ctx context.Context) error {
	var err error
	if b.cli, err = cli.Find(ctx, b.want, b.out); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "Using %s.\n", b.cli)
	b.provider, b.environ, err = cli.BuiltProvider(ctx, b.dir)
	return err
}
