package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

// sizes say how much is measured.
type sizes struct {
	refreshed int          // most customers of a refresh
	account   int          // customers of the largest account
	overhead  []comparison // with terraform_data
	starts    int          // of the provider
	limited   bool         // whether the scheduling passes the minute
	invoices  int
	companies int // that issue as many each
	months    int // of runs at the limit
}

var (
	fullSizes = sizes{
		refreshed: 1000, account: 50_000, overhead: []comparison{{1000, 5, 5}}, starts: 15,
		limited: true, invoices: 20, companies: 20, months: 5,
	}
	quickSizes = sizes{
		refreshed: 100, account: 2000, overhead: []comparison{{200, 1, 3}}, starts: 5, invoices: 5, companies: 3, months: 1,
	}
)

// bench is one run of the measurements.
type bench struct {
	wants []string // see cli.Find
	sizes sizes
	out   io.Writer

	dir      string   // of everything that is written while measuring
	cli      *cli.CLI // that is measured with now
	provider string   // the executable
	environ  []string
	spaces   int // workspaces made
}

// section is a group of measurements that share a table.
type section struct {
	name    string // for -only
	title   string
	measure func(*bench, context.Context) ([]result, error)
}

var sections = []section{
	{"plans", "Requests of a plan", (*bench).refresh},
	{"invoice-plans", "Requests of a plan over invoices and orders", (*bench).invoicePlans},
	{"changes", "Requests of a change", (*bench).writes},
	{"invoices", "Requests of an invoice", (*bench).issuing},
	{"month", "A month's invoices at the limit", (*bench).month},
	{"limit", "Waiting for the limit", (*bench).scheduling},
	{"companies", "Many companies in one configuration", (*bench).companies},
	{"work", "The provider's own work, without limits", (*bench).overhead},
}

func sectionNames() []string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

// chooseSections returns the sections of a list of names with commas, all where it is empty.
func chooseSections(names string) ([]section, error) {
	if names == "" {
		return sections, nil
	}
	var chosen []section
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q: say some of %s", name, strings.Join(sectionNames(), ", "))
		}
		chosen = append(chosen, sections[i])
	}
	return chosen, nil
}

func (b *bench) run(ctx context.Context, chosen []section) (_ []table, err error) {
	clean, err := b.prepare(ctx)
	defer func() { err = errors.Join(err, clean()) }()
	if err != nil {
		return nil, err
	}
	clis, err := b.find(ctx)
	if err != nil {
		return nil, err
	}
	var made []table
	for _, s := range chosen {
		t := table{title: s.title, machine: fmt.Sprintf("%s, %d CPUs", runtime.Version(), runtime.NumCPU())}
		began := time.Now()
		for _, b.cli = range clis {
			results, err := s.measure(b, ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", s.title, b.cli, err)
			}
			t.runs = append(t.runs, column{string(b.cli.Product), b.cli.Version, results})
		}
		made = append(made, t)
		fmt.Fprintf(b.out, "\n%s (in %s)\n", t.markdown(true), time.Since(began).Round(time.Second))
	}
	return made, nil
}

// prepare builds the provider. The caller calls the returned function in any case: it removes all that was written.
func (b *bench) prepare(ctx context.Context) (clean func() error, err error) {
	if b.dir, err = os.MkdirTemp("", "einvoice-bench-"); err != nil {
		return func() error { return nil }, err
	}
	b.provider, b.environ, err = cli.BuiltProvider(ctx, b.dir)
	return func() error { return os.RemoveAll(b.dir) }, err
}

// find finds the CLIs.
func (b *bench) find(ctx context.Context) ([]*cli.CLI, error) {
	var all []*cli.CLI
	for _, want := range b.wants {
		found, err := cli.Find(ctx, want, b.out)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(b.out, "Using %s.\n", found)
		all = append(all, found)
	}
	return all, nil
}
