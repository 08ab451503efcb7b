package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// shared is a number of creations under the service's real limit, by one or more
// runs of the CLI that use one key.
type shared struct {
	what     string
	runs     int
	machines int // cache directories
	over     float64
}

var schedules = []shared{
	{"one run", 1, 1, 5},
	{"two runs on one machine", 2, 1, 15},
	{"two runs on two machines", 2, 2, 15},
}

// scheduling measures how much longer creations take than the limit asks for.
// Nearly all of it is waiting, so that the cases wait side by side.
func (b *bench) scheduling(ctx context.Context) ([]result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	creations := 120
	if !b.sizes.limited {
		creations = 20
	}
	measured := make([][]result, len(schedules))
	failures := make([]error, len(schedules))
	var group sync.WaitGroup
	for i, c := range schedules {
		run, err := b.schedule(c, creations)
		if err != nil {
			return nil, err
		}
		group.Go(func() {
			if measured[i], failures[i] = run(ctx); failures[i] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	var results []result
	for _, more := range measured {
		results = append(results, more...)
	}
	return results, errors.Join(failures...)
}

// schedule prepares a case.
func (b *bench) schedule(c shared, creations int) (func(context.Context) ([]result, error), error) {
	s, err := serve(sandbox.Options{RateLimit: true})
	if err != nil {
		return nil, err
	}
	var spaces []*workspace
	for i := range c.runs {
		var settings []string
		if i > 0 && c.machines == 1 {
			settings = []string{"EINVOICE_CACHE_DIR=" + spaces[0].cache()}
		}
		w, err := b.workspace(s, settings...)
		if err != nil {
			return nil, err
		}
		if err := w.write(customers(creations / c.runs)); err != nil {
			return nil, err
		}
		spaces = append(spaces, w)
	}
	return func(ctx context.Context) ([]result, error) {
		defer s.Close()
		took, err := together(ctx, spaces)
		if err != nil {
			return nil, err
		}
		refused := 0
		for _, r := range s.Requests() {
			if r.Status == http.StatusTooManyRequests {
				refused++
			}
		}
		made := len(s.Objects(sandbox.KindCustomers))
		if made != creations {
			return nil, fmt.Errorf("%s: %d customers were made, want %d", c.what, made, creations)
		}
		least := atLimit(creations)
		label := fmt.Sprintf("%d creations by %s", creations, c.what)
		results := []result{{
			what: label + ": longer than the limit asks for", unit: unitPercent, target: c.over,
			measured: max(0, float64(took)/float64(least)-1) * 100, note: fmt.Sprintf("%s, at least %s", seconds(took), seconds(least)),
			shown: !b.sizes.limited, // So few are done before the CLI is.
		}}
		if c.machines == 1 {
			return append(results, result{what: label + ": refused", unit: "requests", measured: float64(refused)}), nil
		}
		results[0].note += fmt.Sprintf("; %d requests refused, none lost", refused)
		return results, nil
	}, nil
}

// together applies all workspaces at once, and returns how long it took until the
// last one was done.
func together(ctx context.Context, spaces []*workspace) (time.Duration, error) {
	failures := make([]error, len(spaces))
	began := time.Now()
	var group sync.WaitGroup
	for i, w := range spaces {
		group.Go(func() { _, failures[i] = w.apply(ctx, "-parallelism=30") })
	}
	group.Wait()
	return time.Since(began), errors.Join(failures...)
}
